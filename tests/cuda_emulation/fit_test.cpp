// K-means on the emulated CUDA device and on cpu, from the same initial centers.

#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <kmeans/kmeans.hpp>
#include <tessera/io/npy.hpp>
#include <tessera/tessera.hpp>

#include "algorithms/samples.hpp"
#include "controls.hpp"
#include "support/arrays.hpp"
#include "support/compare.hpp"

namespace tessera::test {
namespace {

kmeans::KMeans fitted(const HostArray& samples, std::int64_t clusters, const std::string& device_name,
                      double tol) {
  const Device on = device(device_name);
  const Array x = upload(samples, on);
  kmeans::KMeans model({.n_clusters = clusters, .init = copy(index(x, {slice(0, clusters)})), .tol = tol});
  model.fit(x);
  return model;
}

void expect_fit_of_cpu(const HostArray& samples, std::int64_t clusters, double tol) {
  const kmeans::KMeans expected = fitted(samples, clusters, "cpu", tol);
  const kmeans::KMeans actual = fitted(samples, clusters, "cuda-emulated", tol);
  EXPECT_TRUE(equal(to_host_array(actual.labels()), to_host_array(expected.labels())));
  EXPECT_EQ(actual.n_iter(), expected.n_iter());
  EXPECT_NEAR(actual.inertia(), expected.inertia(), 1e-6 * expected.inertia());

  const kmeans::KMeans again = fitted(samples, clusters, "cuda-emulated", tol);
  EXPECT_TRUE(same_bits(again.labels(), actual.labels()));
  EXPECT_TRUE(same_bits(again.cluster_centers(), actual.cluster_centers()));
  EXPECT_EQ(again.inertia(), actual.inertia());
  EXPECT_EQ(again.n_iter(), actual.n_iter());
}

HostArray as_float32(const Matrix& x) {
  HostArray result(float32, {x.rows, x.columns});
  for (std::int64_t i = 0; i < x.rows * x.columns; ++i) {
    result.set(i, static_cast<float>(x.values[static_cast<std::size_t>(i)]));
  }
  return result;
}

TEST(CudaFit, Digits) {
  const HostArray digits = to_host_array(astype(load_npy(TESSERA_TEST_DATA "/digits.npy"), float32));
  expect_fit_of_cpu(digits, 10, 1e-4);
  expect_fit_of_cpu(digits, 10, 0);
}

TEST(CudaFit, Blobs) {
  expect_fit_of_cpu(as_float32(blobs(3000, 2, 5)), 5, 1e-4);
  expect_fit_of_cpu(as_float32(blobs(2000, 40, 30, 100)), 30, 1e-4);
}

TEST(CudaFit, OneCloud) {
  expect_fit_of_cpu(as_float32(normal_samples(2500, 16, 5)), 12, 1e-4);
}

/// The host waits once an iteration: for the numbers that say whether to stop.
TEST(CudaFit, WaitsOnceAnIteration) {
  const CudaControls controls(CUDA_EMULATED_MODULE);
  const Array x = upload(as_float32(normal_samples(1500, 8, 11)), device("cuda-emulated"));
  const Array init = copy(index(x, {slice(0, 9)}));
  const auto waits_of = [&](int iterations) {
    kmeans::KMeans model({.n_clusters = 9, .init = init, .max_iter = iterations, .tol = 0});
    const long before = controls.waits();
    model.fit(x);
    EXPECT_EQ(model.n_iter(), iterations) << "not converged before";
    return controls.waits() - before;
  };
  waits_of(2);  // pinned memory is made
  const long three = waits_of(3);
  EXPECT_EQ(waits_of(8) - three, 5);
}

}  // namespace
}  // namespace tessera::test
