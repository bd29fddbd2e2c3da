// The CUDA device's sources in emulation: what is particular to a device that is asynchronous, has memory and
// libraries of its own, and runs blocks of threads. What all devices share is in the other suites.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tessera/tessera.hpp>

#include "controls.hpp"
#include "support/arrays.hpp"
#include "support/compare.hpp"

namespace tessera::test {
namespace {

const CudaControls& controls() {
  static const CudaControls instance(CUDA_EMULATED_MODULE);
  return instance;
}

Device emulated() {
  return device("cuda-emulated");
}

// ---- each kernel has the same bits in each order of threads and over each pattern of fresh memory

struct Work {
  std::string name;
  std::function<Array(const Device&)> run;
};

Array floats(const Shape& shape, const Device& device, std::uint64_t seed = 1) {
  return upload(make_values(float32, shape, Values::plain, seed), device);
}
Array doubles(const Shape& shape, const Device& device) {
  return upload(make_values(float64, shape, Values::plain), device);
}
Array integers(const Shape& shape, const Device& device) {
  return upload(make_values(int32, shape, Values::plain), device);
}
Array indices(const Shape& shape, std::int64_t length, const Device& device) {
  return upload(make_indices(shape, length), device);
}

Array nearest(const Array& x, const Array& centers) {
  return argmin(sum(square(centers), {.axis = 1}) - 2 * matmul(x, matrix_transpose(centers)), {.axis = 1});
}

std::vector<Work> all_work() {
  std::vector<Work> work;
  const auto add = [&](std::string name, std::function<Array(const Device&)> run) {
    work.push_back({std::move(name), std::move(run)});
  };
  // Shapes on both sides of what a thread, a warp, a block and a launch take.
  for (const Shape& shape : {Shape{7, 5}, Shape{40, 70}, Shape{3, 5000}, Shape{5000, 3}, Shape{300, 90}}) {
    const std::string name = to_string(shape);
    add("add" + name, [=](const Device& d) { return floats(shape, d) + floats(shape, d, 2); });
    add("transpose" + name, [=](const Device& d) { return copy(matrix_transpose(floats(shape, d))); });
    add("astype" + name, [=](const Device& d) { return astype(floats(shape, d), int16); });
    for (const int axis : {0, 1}) {
      const std::string on = name + " axis " + std::to_string(axis);
      add("sum" + on, [=](const Device& d) { return sum(floats(shape, d), {.axis = axis}); });
      add("prod" + on, [=](const Device& d) { return prod(integers(shape, d), {.axis = axis}); });
      add("max" + on, [=](const Device& d) { return max(doubles(shape, d), {.axis = axis}); });
      add("argmin" + on, [=](const Device& d) { return argmin(floats(shape, d), {.axis = axis}); });
      add("cumulative_sum" + on,
          [=](const Device& d) { return cumulative_sum(doubles(shape, d), {.axis = axis}); });
      add("sort" + on, [=](const Device& d) { return sort(floats(shape, d), {.axis = axis}); });
      add("argsort" + on, [=](const Device& d) { return argsort(doubles(shape, d), {.axis = axis}); });
      add("take" + on, [=](const Device& d) {
        return take(floats(shape, d), indices({50}, shape[axis], d), {.axis = axis});
      });
      add("scatter_add" + on, [=](const Device& d) {
        return scatter_add(
            zeros({axis == 0 ? 6 : shape[0], axis == 1 ? 6 : shape[1]}, {.dtype = float64, .device = d}),
            indices({shape[axis]}, 6, d), floats(shape, d), {.axis = axis});
      });
    }
    add("argmax" + name, [=](const Device& d) { return argmax(integers(shape, d)); });
    add("sum of all" + name, [=](const Device& d) { return sum(doubles(shape, d)); });
    add("scatter_max" + name, [=](const Device& d) {
      return scatter_max(floats({9000, shape[1]}, d), indices({shape[0]}, 9000, d), floats(shape, d, 3));
    });
    add("nonzero" + name, [=](const Device& d) { return nonzero(floats(shape, d) > 0.0)[0]; });
    add("matmul" + name, [=](const Device& d) { return matmul(floats(shape, d), floats({shape[1], 9}, d)); });
    add("integer matmul" + name, [=](const Device& d) {
      return matmul(integers(shape, d), integers({shape[1], 9}, d));
    });
    add("matmul of a vector" + name,
        [=](const Device& d) { return matmul(floats(shape, d), floats({shape[1]}, d)); });
  }
  // Few features and many; more rows than a block holds, more centers than its shared memory.
  for (const auto& [m, n, k] :
       {std::tuple{600, 1100, 3}, {70, 37, 16}, {300, 150, 33}, {130, 129, 64}, {90, 40, 65}}) {
    const Shape samples{m, k};
    const Shape centers{n, k};
    const std::string name = to_string(samples) + " and " + to_string(centers);
    add("matmul of" + name,
        [=](const Device& d) { return matmul(floats(samples, d), matrix_transpose(floats(centers, d, 2))); });
    add("nearest of" + name,
        [=](const Device& d) { return compile(nearest)(floats(samples, d), floats(centers, d, 2)); });
    add("nearest of doubles of" + name,
        [=](const Device& d) { return compile(nearest)(doubles(samples, d), doubles(centers, d)); });
  }
  add("random bits", [](const Device& d) { return random::bits(random::Key(7), {1001}, {.device = d}); });
  add("linspace", [](const Device& d) { return linspace(0, 1, 30000, {.device = d}); });
  add("searchsorted",
      [](const Device& d) { return searchsorted(sort(floats({1000}, d)), floats({5000}, d, 2)); });
  return work;
}

TEST(CudaKernels, BitsAgreeInEachOrderOfThreadsAndOverEachFill) {
  const Device device = emulated();
  for (const Work& work : all_work()) {
    HostArray expected;
    for (const int order : {0, 1, 2}) {
      for (const int fill : {0xff, 0x3c}) {
        controls().set_order(order);
        controls().set_fill(fill);
        device.trim();  // all memory is fresh
        HostArray actual = to_host_array(work.run(device));
        if (expected.shape.empty() && expected.bytes.empty()) {
          expected = std::move(actual);
        } else {
          EXPECT_TRUE(same_bits(actual, expected)) << work.name << ", order " << order << ", fill " << fill;
        }
      }
    }
  }
  controls().set_order(0);
  controls().set_fill(0xff);
}

// ---- sums are those of a plain loop

TEST(CudaKernels, ScatterAddAddsInTheOrderOfTheUpdates) {
  const Device device = emulated();
  // In float64 and of sizes far apart: another order would show.
  const std::int64_t count = 400;
  HostArray updates(float64, {count});
  HostArray labels(int64, {count});
  std::vector<double> expected(5, 0.25);
  Numbers numbers(3);
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = std::ldexp(numbers.uniform(), static_cast<int>(numbers.between(-30, 30)));
    const std::int64_t label = numbers.between(0, 4);
    updates.set(i, value);
    labels.set(i, label);
    expected[static_cast<std::size_t>(label)] += value;
  }
  const Array sums = scatter_add(full({5}, 0.25, {.dtype = float64, .device = device}),
                                 upload(labels, device), upload(updates, device));
  EXPECT_TRUE(same_bits(to_host_array(sums), HostArray(expected, {5})));
}

TEST(CudaKernels, CumulativeSumsOfManyRowsAddInOrder) {
  const Device device = emulated();
  for (const std::int64_t length : {7, 8, 33, 64}) {
    const HostArray values = make_values(float64, {70, length}, Values::plain);
    HostArray expected = values;
    for (std::int64_t i = 0; i < 70; ++i) {
      double total = 0;
      for (std::int64_t j = 0; j < length; ++j) {
        total += values.at<double>(i * length + j);
        expected.set(i * length + j, total);
      }
    }
    const auto sums = [](const Array& x) { return to_host_array(cumulative_sum(x, {.axis = 1})); };
    const Array x = upload(values, device);
    EXPECT_TRUE(same_bits(sums(x), expected)) << length;
    EXPECT_TRUE(same_bits(sums(matrix_transpose(copy(matrix_transpose(x)))), expected)) << length;
  }
}

TEST(CudaKernels, ACumulativeSumStandsStillOverZeros) {
  const Device device = emulated();
  // k-means++ draws by searching such a sum: a weight of 0 must leave no gap, at borders of threads and
  // blocks.
  const std::int64_t count = 20000;
  HostArray weights(float64, {count});
  Numbers numbers(5);
  for (std::int64_t i = 0; i < count; ++i) weights.set(i, i % 3 == 0 ? numbers.uniform() : 0.0);
  const HostArray sums = to_host_array(cumulative_sum(upload(weights, device)));
  for (std::int64_t i = 1; i < count; ++i) {
    const bool stands = weights.at<double>(i) == 0;
    ASSERT_TRUE(stands ? sums.at<double>(i) == sums.at<double>(i - 1)
                       : sums.at<double>(i) > sums.at<double>(i - 1))
        << i;
  }
}

// ---- the queue

TEST(CudaDevice, RunsLate) {
  const Device device = emulated();
  const Array x = floats({100}, device);
  device.synchronize();
  const Array y = x + x;
  EXPECT_GT(controls().pending(), 0);
  device.synchronize();
  EXPECT_EQ(controls().pending(), 0);
}

TEST(CudaDevice, CopiesMoreThanItsStagingHolds) {
  const Device device = emulated();
  HostArray big(uint8, {(20 << 20) + 17});
  Numbers numbers(1);
  for (std::size_t i = 0; i < big.bytes.size(); i += 977)
    big.bytes[i] = static_cast<std::byte>(numbers.next());
  EXPECT_TRUE(same_bits(to_host_array(upload(big, device)), big));
}

TEST(CudaDevice, AHostNumberIsTakenBeforeTheCallReturns) {
  const Device device = emulated();
  const Array x = zeros({4}, {.dtype = float32, .device = device});
  std::vector<Array> results;
  for (int i = 0; i < 5; ++i) results.push_back(x + static_cast<double>(i));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(
        equal(results[static_cast<std::size_t>(i)], std::vector<float>(4, static_cast<float>(i)), {4}));
  }
}

// ---- products

/// Few features don't wait for cuBLAS, and the profiler and explain() say which kernel runs.
TEST(CudaDevice, NearestCentersHaveAKernelOfTheirOwnForFewFeatures) {
  const Device device = emulated();
  const auto expect_way = [&](std::int64_t features, std::int64_t centers, const std::string& way) {
    SCOPED_TRACE(std::to_string(features) + " features, " + std::to_string(centers) + " centers");
    const Array x = floats({50, features}, device);
    const Array y = floats({centers, features}, device, 2);
    const auto compiled = compile(nearest);
    const Profiler profiler;
    EXPECT_TRUE(equal(compiled(x, y), nearest(x, y)));
    EXPECT_NE(compiled.explain().find("alpha -2 " + way), std::string::npos) << compiled.explain();
    const std::vector<ProfileRow> rows = profiler.rows();
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const ProfileRow& row) {
      return row.kernel == "matmul_argmin " + way;
    })) << profiler.table();
  };
  expect_way(1, 40, "in registers");
  expect_way(64, 40, "in registers");
  expect_way(65, 40, "in tiles");
  expect_way(64, 1, "in tiles");
}

/// A sum takes the features in ascending order, one fused multiply-add each.
TEST(CudaDevice, ProductsOfFewFeaturesAreOneChain) {
  const Device device = emulated();
  for (const auto& [m, n, k] : {std::tuple{5, 300, 3}, {300, 5, 17}, {40, 600, 64}}) {
    const Array x = floats({m, k}, device);
    const Array y = floats({k, n}, device, 2);
    const std::vector<float> a = x.to_host<float>();
    const std::vector<float> b = y.to_host<float>();
    std::vector<float> expected;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        float total = 0;
        for (int p = 0; p < k; ++p) {
          total =
              std::fma(a[static_cast<std::size_t>(i * k + p)], b[static_cast<std::size_t>(p * n + j)], total);
        }
        expected.push_back(total);
      }
    }
    EXPECT_EQ(matmul(x, y).to_host<float>(), expected);
    EXPECT_EQ(copy(matrix_transpose(matmul(matrix_transpose(y), matrix_transpose(x)))).to_host<float>(),
              expected);
  }
}

TEST(CudaDevice, DotProductsHaveTheBitsOfCpu) {
  // By one thread, a warp, a block, in several blocks of the sum; side by side, a thread a row.
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t length : {1, 3, 16, 17, 64, 500, 2047, 2048, 2049, 5000, 70000}) {
      const auto dots = [&](const Device& device) {
        const Array x = upload(make_values(dtype, {9, length}, Values::plain, 1), device);
        const Array y = upload(make_values(dtype, {9, length}, Values::plain, 2), device);
        const Array turned = matrix_transpose(copy(matrix_transpose(x)));
        return concat({vecdot(x, y), matmul(x, index(y, {0})), vecdot(turned, y)});
      };
      EXPECT_TRUE(same_bits(dots(emulated()), dots(device("cpu")))) << name(dtype) << ", " << length;
    }
  }
}

TEST(CudaDevice, AProductOfABatchIsThatOfItsMatrices) {
  const Device device = emulated();
  const Array x = floats({5, 40, 9}, device);
  const Array y = floats({1, 9, 70}, device, 2);
  const Array all = matmul(x, y);
  const Array turned = matmul(matrix_transpose(y), matrix_transpose(x));
  for (std::int64_t b = 0; b < 5; ++b) {
    const Array one = matmul(index(x, {b}), index(y, {0}));
    EXPECT_TRUE(equal(index(all, {b}), one));
    EXPECT_TRUE(equal(index(turned, {b}), matrix_transpose(one)));
  }
}

/// Case 3 of the inputs that broke others: a product in TF32 loses the digits that decide.
TEST(CudaDevice, RoundsToTf32OnlyByName) {
  const Device device = emulated();
  const Array x = full({2, 2}, 1.0004, {.dtype = float32, .device = device});
  const double exact = static_cast<double>(1.0004F) * static_cast<double>(1.0004F) * 2;
  const double ieee = matmul(x, x).to_host<float>()[0];
  const double tf32 = matmul(x, x, {.precision = Precision::tf32}).to_host<float>()[0];
  EXPECT_NEAR(ieee, exact, 1e-6);
  EXPECT_GT(std::abs(tf32 - exact), 1e-4);
}

// ---- what goes wrong

/// Before any other test uses the second device.
TEST(CudaDevice, ACardThatKernelsWereNotBuiltForIsNamed) {
  controls().refuse_kernels(true);
  try {
    device("cuda-emulated:1");
    ADD_FAILURE() << "there is a device without kernels";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("compute capability 7.5), only for the host"), std::string::npos) << text;
    EXPECT_NE(text.find("-DTESSERA_CUDA_ARCHITECTURES=75-real"), std::string::npos) << text;
  }
  controls().refuse_kernels(false);
}

/// As above.
TEST(CudaDevice, GivesBackWhatItHadWhenItCannotBeMade) {
  emulated().synchronize();
  const long before = controls().handles();
  controls().fail_allocation(1);
  EXPECT_THROW(device("cuda-emulated:1"), OutOfMemoryError);
  EXPECT_EQ(controls().handles(), before);
  EXPECT_NO_THROW(device("cuda-emulated:1"));
}

TEST(CudaDevice, NamesALibraryThatIsMissing) {
  const Device second = device("cuda-emulated:1");  // has not multiplied yet
  const Array x = ones({3, 65}, {.dtype = float32, .device = second});
  controls().hide_libraries(true);
  try {
    matmul(x, matrix_transpose(x));
    ADD_FAILURE() << "there was a product without cuBLAS";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("[matmul] cuBLAS cannot be opened: libcublasLt.so"), std::string::npos) << text;
  }
  controls().hide_libraries(false);
  EXPECT_TRUE(equal(matmul(x, matrix_transpose(x)), std::vector<float>(9, 65), {3, 3}));
}

TEST(CudaDevice, GoesOnAfterAnAllocationFails) {
  const Device device = emulated();
  device.trim();
  controls().fail_allocation(1);
  EXPECT_NO_THROW(zeros({1000}, {.dtype = float32, .device = device}))
      << "the device tries again, with an empty queue";
  EXPECT_THROW(zeros({1 << 20, 1 << 20}, {.dtype = float64, .device = device}), OutOfMemoryError);
  EXPECT_TRUE(equal(ones({3}, {.dtype = float32, .device = device}), std::vector<float>(3, 1), {3}));
}

/// Last: the second device does not come back.
TEST(CudaDeviceLost, EveryCallSaysSo) {
  const Device second = device("cuda-emulated:1");
  const Array x = ones({3}, {.dtype = float32, .device = second});
  const Array many = ones({3, 65}, {.dtype = float32, .device = second});
  const auto product = [&] { matmul(many, matrix_transpose(many)); };
  product();  // there is memory for another
  second.synchronize();
  controls().lose(1);
  const auto expect_lost = [](const std::function<void()>& call) {
    try {
      call();
      ADD_FAILURE() << "a lost device worked";
    } catch (const DeviceError& error) {
      EXPECT_NE(std::string(error.what()).find("was lost"), std::string::npos) << error.what();
    }
  };
  expect_lost(product);  // cuBLAS has words of its own for it
  expect_lost([&] { second.synchronize(); });
  expect_lost([&] { x + x; });
  expect_lost([&] { x.to_host<float>(); });
  EXPECT_TRUE(equal(ones({3}, {.dtype = float32, .device = emulated()}), std::vector<float>(3, 1), {3}))
      << "the first device goes on";
}

}  // namespace
}  // namespace tessera::test
