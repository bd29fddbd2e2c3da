// What the messages say: the operation, what was seen, and what to do.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "support/devices.hpp"

namespace tessera::test {
namespace {

struct BadCall {
  std::string operation;
  std::function<void(const Device&)> call;
  std::vector<std::string> fragments;
};

Array floats(const Shape& shape, const Device& device) {
  return zeros(shape, {.device = device});
}
Array ints(const Shape& shape, const Device& device) {
  return zeros(shape, {.dtype = DType::int32, .device = device});
}

void borrow(const Layout& layout, std::size_t bytes, const Device& device) {
  static const std::vector<std::int64_t> memory(8, 0);
  borrow_host(memory.data(), DType::int64, layout, bytes, nullptr, device);
}

const std::vector<BadCall>& bad_calls() {
  static const std::vector<BadCall> calls = {
      {"add",
       [](const Device& d) {
         add(floats({3, 4}, d), floats({3}, d));
       },
       {"(3, 4)", "(3,)"}},
      {"add", [](const Device& d) { add(ints({2}, d), floats({2}, d)); }, {"int32", "float32", "astype"}},
      {"multiply", [](const Device& d) { multiply(ints({2}, d), 0.5); }, {"int32", "0.5", "astype"}},
      {"add", [](const Device& d) { add(Array(), floats({2}, d)); }, {"a holds no array"}},
      {"add", [](const Device& d) { add(floats({2}, d), Array()); }, {"b holds no array"}},
      {"where", [](const Device& d) { where(floats({2}, d) > 0, 1.0, Array()); }, {"b holds no array"}},
      {"clip", [](const Device& d) { clip(floats({2}, d), {.min = Array()}); }, {"min holds no array"}},
      {"item", [](const Device& d) { floats({}, d).item<int>(); }, {"0", "int32"}},
      {"item", [](const Device& d) { asarray(300, {.device = d}).item<std::int8_t>(); }, {"300", "int8"}},
      {"item", [](const Device& d) { asarray(-1, {.device = d}).item<std::uint64_t>(); }, {"-1", "uint64"}},
      {"item", [](const Device& d) { asarray(1, {.device = d}).item<bool>(); }, {"1", "bool"}},
      {"from_host",
       [](const Device& d) { from_host(nullptr, DType::float32, {2}, d); },
       {"data is null", "(2,)"}},
      {"borrow_host",
       [](const Device& d) { borrow(row_major({std::int64_t{1} << 61}), 64, d); },
       {"(2305843009213693952,)", "64 bytes"}},
      {"borrow_host",
       [](const Device& d) {
         borrow({{3}, {3}, 2}, 64, d);
       },
       {"(3,)", "offset 2"}},
      {"borrow_host",
       [](const Device& d) {
         borrow({{3}, {-1}, 1}, 64, d);
       },
       {"(-1,)"}},
      {"borrow_host",
       [](const Device& d) {
         borrow({{-1}, {1}, 0}, 64, d);
       },
       {"(-1,)", "extents"}},
      {"borrow_host",
       [](const Device& d) {
         borrow({{2}, {}, 0}, 64, d);
       },
       {"strides ()"}},
      {"borrow_host",
       [](const Device& d) { borrow_host(nullptr, DType::int64, row_major({2}), 64, nullptr, d); },
       {"data is null", "64"}},
      {"to_device", [](const Device& d) { to_device(Array(), d); }, {"x holds no array"}},
      {"matmul",
       [](const Device& d) {
         matmul(Array(), floats({2, 2}, d));
       },
       {"a holds no array"}},
      {"clip",
       [](const Device& d) { clip(ints({2}, d), {.max = floats({2}, d)}); },
       {"x is (2,) int32", "max is (2,) float32"}},
      {"uniform",
       [](const Device& d) {
         random::uniform(random::Key(1), {3}, {.low = -3e38, .high = 3e38, .device = d});
       },
       {"float32", "3e+38"}},
      {"normal",
       [](const Device& d) { random::normal(random::Key(1), {3}, {.stddev = 1e39, .device = d}); },
       {"float32", "1e+39"}},
      {"scatter_add",
       [](const Device& d) { scatter_add(floats({2}, d), ints({1}, d), Array()); },
       {"updates"}},
      {"sqrt", [](const Device& d) { sqrt(ints({2}, d)); }, {"int32", "floating"}},
      {"logical_and", [](const Device& d) { logical_and(ints({2}, d), ints({2}, d)); }, {"int32", "bool"}},
      {"where", [](const Device& d) { where(ints({2}, d), 1.0, floats({2}, d)); }, {"int32", "bool"}},
      {"matmul",
       [](const Device& d) {
         matmul(floats({1000, 64}, d), floats({32, 10}, d));
       },
       {"(1000, 64) float32", "(32, 10) float32", "inner"}},
      {"sum",
       [](const Device& d) {
         sum(floats({2, 3}, d), {.axis = 2});
       },
       {"axis 2", "2 dimensions"}},
      {"min",
       [](const Device& d) {
         min(floats({0, 3}, d), {.axis = 0});
       },
       {"(0, 3)"}},
      {"mean", [](const Device& d) { mean(ints({3}, d)); }, {"int32", "astype"}},
      {"argmin", [](const Device& d) { argmin(floats({0}, d)); }, {"(0,)"}},
      {"reshape",
       [](const Device& d) {
         reshape(floats({2, 6}, d), {5, -1});
       },
       {"(2, 6)", "12", "(5, -1)"}},
      {"broadcast_to", [](const Device& d) { broadcast_to(floats({3}, d), {4}); }, {"(3,) float32", "(4,)"}},
      {"permute_dims",
       [](const Device& d) {
         permute_dims(floats({2, 3}, d), {0, 0});
       },
       {"(0, 0)", "(2, 3)"}},
      {"squeeze",
       [](const Device& d) {
         squeeze(floats({2, 3}, d), 0);
       },
       {"axis 0", "extent 2"}},
      {"flip",
       [](const Device& d) {
         flip(floats({2}, d), {0, 0});
       },
       {"axis 0", "twice"}},
      {"expand_dims", [](const Device& d) { expand_dims(floats({2}, d), 5); }, {"axis 5"}},
      {"concat",
       [](const Device& d) {
         concat({floats({2, 3}, d), floats({2}, d)});
       },
       {"(2,)", "(2, 3)"}},
      {"concat",
       [](const Device& d) {
         concat({floats({2}, d), ints({2}, d)});
       },
       {"float32", "int32", "astype"}},
      {"stack",
       [](const Device& d) {
         stack({floats({3}, d), floats({2}, d)});
       },
       {"(2,)", "(3,)"}},
      {"index",
       [](const Device& d) {
         index(floats({2, 3}, d), {0, 7});
       },
       {"index 7", "axis 1", "(2, 3)"}},
      {"index",
       [](const Device& d) {
         index(floats({2}, d), {0, 0});
       },
       {"2 axes", "(2,)"}},
      {"take",
       [](const Device& d) {
         take(floats({2, 3}, d), ints({2}, d));
       },
       {"axis", "(2, 3)"}},
      {"take", [](const Device& d) { take(floats({2}, d), floats({2}, d)); }, {"(2,) float32", "integer"}},
      {"take_along_axis",
       [](const Device& d) {
         take_along_axis(floats({2, 3}, d), ints({2}, d));
       },
       {"(2,) int32", "(2, 3) float32"}},
      {"scatter_add",
       [](const Device& d) {
         scatter_add(floats({5, 2}, d), ints({3}, d), floats({4, 2}, d));
       },
       {"(4, 2) float32", "(3, 2)"}},
      {"scatter_add",
       [](const Device& d) { scatter_add(ints({5}, d), ints({3}, d), 0.5); },
       {"0.5", "int32", "astype"}},
      {"nonzero", [](const Device& d) { nonzero(floats({}, d)); }, {"dimensions"}},
      {"sort", [](const Device& d) { sort(floats({}, d)); }, {"axis"}},
      {"searchsorted",
       [](const Device& d) {
         searchsorted(floats({2, 2}, d), floats({1}, d));
       },
       {"(2, 2) float32", "1-d"}},
      {"one_hot", [](const Device& d) { one_hot(floats({2}, d), 3); }, {"(2,) float32", "integer"}},
      {"item",
       [](const Device& d) { static_cast<void>(floats({2}, d).item()); },
       {"(2,) float32", "one element"}},
      {"to_host",
       [](const Device& d) { static_cast<void>(floats({2}, d).to_host<int>()); },
       {"float32", "int32"}},
      {"from_host",
       [](const Device& d) {
         from_host(std::vector<int>{1, 2}, {3}, {.device = d});
       },
       {"2 values", "(3,)"}},
      {"arange", [](const Device& d) { arange(0, 5, 0, {.device = d}); }, {"step is 0"}},
      {"arange", [](const Device& d) { arange(0, 5, true, {.device = d}); }, {"step is a bool"}},
      {"arange", [](const Device& d) { arange(300, {.dtype = DType::int8, .device = d}); }, {"300", "int8"}},
      {"arange", [](const Device& d) { arange(-1, ~std::uint64_t{0}, 1 << 30, {.device = d}); }, {"-1"}},
      {"choice",
       [](const Device& d) { random::choice(random::Key(), 3, {4}, {.replace = false, .device = d}); },
       {"4", "3", "replace"}},
      {"uniform",
       [](const Device& d) { random::uniform(random::Key(), {2}, {.low = 2, .device = d}); },
       {"2", "1"}},
  };
  return calls;
}

class ErrorsTest : public DeviceTest {};

TEST_P(ErrorsTest, NameTheOperationAndWhatWasSeen) {
  for (const BadCall& bad : bad_calls()) {
    SCOPED_TRACE(bad.operation + " (" + std::to_string(&bad - bad_calls().data()) + ")");
    try {
      bad.call(device());
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with("[" + bad.operation + "] ")) << text;
      for (const std::string& fragment : bad.fragments) {
        EXPECT_NE(text.find(fragment), std::string::npos) << "no \"" << fragment << "\" in: " << text;
      }
    }
  }
}

TEST_P(ErrorsTest, IntegersWithFloatsHint) {
  try {
    add(ints({2}, device()), floats({2}, device()));
    FAIL() << "no error";
  } catch (const DTypeError& error) {
    EXPECT_NE(std::string(error.what()).find("astype"), std::string::npos) << error.what();
  }
}

TEST_P(ErrorsTest, TwoDevicesHint) {
  const Device reference = tessera::device("reference");
  if (reference == device()) GTEST_SKIP() << "one device only";
  const std::vector<std::function<void()>> calls = {
      [&] { add(floats({2}, device()), floats({2}, reference)); },
      [&] {
        matmul(floats({2, 2}, device()), floats({2, 2}, reference));
      },
      [&] {
        concat({floats({2}, device()), floats({2}, reference)});
      },
      [&] {
        stack({floats({2}, device()), floats({2}, reference)});
      },
      [&] { take(floats({2}, device()), ints({2}, reference)); },
      [&] { take_along_axis(floats({2}, device()), ints({2}, reference)); },
      [&] { scatter_add(floats({2}, device()), ints({2}, device()), floats({2}, reference)); },
      [&] { scatter_add(floats({2}, device()), ints({2}, reference), 1.0); },
      [&] { searchsorted(floats({2}, device()), floats({2}, reference)); },
      [&] { where(floats({2}, device()) > 0, floats({2}, device()), floats({2}, reference)); },
  };
  for (const auto& call : calls) {
    SCOPED_TRACE("call " + std::to_string(&call - calls.data()));
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const DeviceError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("to_device"), std::string::npos) << text;
      EXPECT_NE(text.find("reference"), std::string::npos) << text;
      EXPECT_NE(text.find(device().name()), std::string::npos) << text;
    }
  }
}

TEST_P(ErrorsTest, AnErrorLeavesTheArraysAsTheyWere) {
  const Array x = arange(3, {.device = device()});
  EXPECT_THROW(add(x, zeros({2}, {.dtype = DType::int64, .device = device()})), ShapeError);
  EXPECT_EQ(x.to_host<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2}));
}

TESSERA_FOR_EACH_DEVICE(ErrorsTest);

}  // namespace
}  // namespace tessera::test
