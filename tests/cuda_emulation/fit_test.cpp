// K-means on the emulated CUDA device and on cpu, from the same initial centers.

#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <kmeans/kmeans.hpp>
#include <tessera/io/npy.hpp>
#include <tessera/tessera.hpp>

#include "algorithms/samples.hpp"
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

}  // namespace
}  // namespace tessera::test
