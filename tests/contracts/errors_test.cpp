// Errors name the operation and what it saw, are of the right type, and leave the device usable.

#include <cstdint>
#include <functional>
#include <limits>

#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

class ErrorTest : public DeviceTest {
 protected:
  /// The call, or the wait after it, throws E, and the text holds all of `parts`.
  template <class E>
  void expect_error(const std::function<void()>& call, const std::vector<std::string>& parts) {
    try {
      call();
      device().synchronize();
      ADD_FAILURE() << "no error";
    } catch (const E& error) {
      for (const auto& part : parts) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
            << "no \"" << part << "\" in: " << error.what();
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << "another type of error: " << error.what();
    }
    // Once, and then no more.
    EXPECT_NO_THROW(device().synchronize());
    EXPECT_EQ(sum(ones({3}, {.device = device()})).item<double>(), 3);
  }
  Array matrix(std::int64_t rows, std::int64_t columns, DType dtype = float32) {
    return ones({rows, columns}, {.dtype = dtype, .device = device()});
  }
  Array indices(std::initializer_list<std::int64_t> values) { return asarray(values, {.device = device()}); }
};

TEST_P(ErrorTest, IndicesOutOfBounds) {
  const Array x = matrix(5, 3);
  for (const std::int64_t bad :
       {std::int64_t{5}, std::int64_t{-6}, std::int64_t{1} << 40U, -(std::int64_t{1} << 40U),
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    expect_error<IndexError>([&] { take(x, indices({0, bad}), {.axis = 0}); }, {"[take]"});
    expect_error<IndexError>(
        [&] {
          take_along_axis(x, reshape(indices({0, bad, 1}), {1, 3}), {.axis = 0});
        },
        {"[take_along_axis]"});
    expect_error<IndexError>([&] { scatter_add(x, indices({bad}), matrix(1, 3)); }, {"[scatter_add]"});
    expect_error<IndexError>([&] { scatter_set(x, indices({1, bad, 2}), matrix(3, 3)); }, {"[scatter_set]"});
    expect_error<IndexError>([&] { scatter_max(x, indices({bad}), 1); }, {"[scatter_max]"});
  }
  EXPECT_TRUE(equal(x, std::vector<float>(15, 1.0F), {5, 3})) << "the array itself changed";
  EXPECT_EQ(take(x, indices({4, -5}), {.axis = 0}).to_host<float>().size(), 6U);
}

TEST_P(ErrorTest, AnIndexIntoNothing) {
  expect_error<IndexError>([&] { take(matrix(0, 3), indices({0}), {.axis = 0}); }, {"[take]"});
}

TEST_P(ErrorTest, IndicesIntoArraysWithoutElements) {
  for (const std::int64_t bad : {std::int64_t{3}, std::int64_t{-4}}) {
    expect_error<IndexError>([&] { take(matrix(0, 3), indices({0, bad}), {.axis = 1}); }, {"[take]"});
    expect_error<IndexError>([&] { scatter_add(matrix(3, 0), indices({bad}), 1); }, {"[scatter_add]"});
    expect_error<IndexError>(
        [&] {
          take_along_axis(matrix(3, 0), reshape(indices({0, bad}), {2, 1}), {.axis = 0});
        },
        {"[take_along_axis]"});
  }
  expect_error<IndexError>([&] { scatter_set(matrix(0, 3), indices({0}), 1); }, {"[scatter_set]"});
  EXPECT_EQ(take(matrix(0, 3), indices({2, -3}), {.axis = 1}).shape(), Shape({0, 2}));
  EXPECT_EQ(scatter_add(matrix(3, 0), indices({0, -3}), 1).shape(), Shape({3, 0}));
  device().synchronize();
}

TEST_P(ErrorTest, ManyBadIndicesAmongMany) {
  const Array x = random::uniform(random::Key(1), {100, 7}, {.device = device()});
  const Array bad = random::randint(random::Key(2), -300, 300, {20011}, {.device = device()});
  expect_error<IndexError>([&] { take(x, bad, {.axis = 0}); }, {"[take]"});
  expect_error<IndexError>([&] { scatter_add(x, bad, 1); }, {"[scatter_add]"});
}

TEST_P(ErrorTest, ShapesThatDoNotFit) {
  expect_error<ShapeError>([&] { matmul(matrix(10, 64), matrix(32, 10)); },
                           {"[matmul]", "(10, 64)", "(32, 10)", "float32"});
  expect_error<ShapeError>([&] { matrix(4, 3) + matrix(4, 2); }, {"[add]", "(4, 3)", "(4, 2)"});
  expect_error<ShapeError>([&] { reshape(matrix(4, 3), {5, 2}); }, {"[reshape]", "(4, 3)", "(5, 2)"});
  expect_error<ShapeError>([&] { concat({matrix(4, 3), matrix(4, 2)}); }, {"[concat]"});
  expect_error<IndexError>([&] { sum(matrix(4, 3), {.axis = 2}); }, {"[sum]", "2"});
}

TEST_P(ErrorTest, DTypesThatDoNotMix) {
  expect_error<DTypeError>([&] { matrix(2, 2, int32) + matrix(2, 2); }, {"[add]", "int32", "float32"});
  expect_error<DTypeError>([&] { sqrt(matrix(2, 2, int32)); }, {"[sqrt]", "int32"});
  expect_error<DTypeError>([&] { matrix(2, 2, int32) + 0.5; }, {"[add]", "0.5", "int32"});
  expect_error<DTypeError>([&] { mean(matrix(2, 2, int64)); }, {"[mean]", "int64"});
  expect_error<DTypeError>([&] { take(matrix(2, 2), matrix(2, 2), {.axis = 0}); }, {"[take]"});
}

TEST_P(ErrorTest, TwoDevices) {
  const std::string other = device().name() == "reference" ? "cpu" : "reference";
  const auto elsewhere = open_or_skip(other);
  if (!elsewhere) return;
  const Array x = ones({2, 2}, {.device = *elsewhere});
  expect_error<DeviceError>([&] { matrix(2, 2) + x; }, {"[add]", other, device().name(), "to_device"});
  expect_error<DeviceError>([&] { matmul(matrix(2, 2), x); }, {"[matmul]", "to_device"});
  expect_error<DeviceError>([&] { concat({matrix(2, 2), x}); }, {"[concat]"});
  EXPECT_TRUE(equal(to_device(x, device()) + matrix(2, 2), std::vector<float>(4, 2.0F), {2, 2}));
}

TESSERA_FOR_EACH_DEVICE(ErrorTest);

}  // namespace

}  // namespace tessera::test
