// The reference device refuses calls against the interface's contract, in words.

#include <array>
#include <functional>

#include <gtest/gtest.h>

#include <tessera/device_state.hpp>
#include <tessera/error.hpp>
#include <tessera/registry.hpp>

namespace tessera::test {

namespace {

class CheckTest : public ::testing::Test {
 protected:
  static View view(void* data, DType dtype, const Shape& shape) {
    return {.data = data, .dtype = dtype, .shape = shape, .strides = row_major_strides(shape)};
  }
  View floats(const Shape& shape) { return view(floats_.data(), float32, shape); }
  View others(const Shape& shape) { return view(others_.data(), float32, shape); }
  View integers(const Shape& shape) { return view(integers_.data(), int64, shape); }

  void expect_refused(const std::function<void(DeviceInterface&)>& call, const char* part) {
    try {
      call(device("reference").state().device);
      ADD_FAILURE() << "accepted; expected words about " << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }

 private:
  std::array<float, 64> floats_{};
  std::array<float, 64> others_{};
  std::array<std::int64_t, 64> integers_{};
};

TEST_F(CheckTest, DTypes) {
  expect_refused([&](auto& d) { d.unary(UnaryOp::sqrt, integers({4}), integers({4})); }, "unary sqrt");
  expect_refused([&](auto& d) { d.binary(BinaryOp::less, floats({4}), floats({4}), others({4})); },
                 "expected bool");
  expect_refused([&](auto& d) { d.binary(BinaryOp::add, floats({4}), integers({4}), others({4})); },
                 "expected float32");
  expect_refused([&](auto& d) { d.reduce(ReduceOp::sum, integers({1, 4, 1}), floats({1, 1})); }, "ReduceOp");
  expect_refused(
      [&](auto& d) {
        d.arg_reduce(ArgReduceOp::argmin, floats({1, 4, 1}), others({1, 1}));
      },
      "expected int64");
  expect_refused(
      [&](auto& d) {
        d.take(floats({1, 4, 1}), floats({2}), others({1, 2, 1}));
      },
      "expected int64");
}

TEST_F(CheckTest, ShapesAndRanks) {
  expect_refused([&](auto& d) { d.copy(floats({4}), others({5})); }, "expected the shape (5,)");
  expect_refused(
      [&](auto& d) {
        d.reduce(ReduceOp::sum, floats({4, 4}), others({4}));
      },
      "expected 3 dimensions");
  expect_refused(
      [&](auto& d) {
        d.reduce(ReduceOp::min, floats({2, 0, 2}), others({2, 2}));
      },
      "axis longer than 0");
  expect_refused(
      [&](auto& d) {
        d.matmul(Precision::ieee, floats({1, 2, 3}), floats({1, 2, 3}), others({1, 2, 3}));
      },
      "y is (1, 2, 3)");
  expect_refused([&](auto& d) { d.nonzero(floats({4}), integers({3})); }, "longer");
}

TEST_F(CheckTest, Outputs) {
  expect_refused(
      [&](auto& d) {
        View out = others({4, 4});
        out.strides = {0, 1};
        d.copy(floats({4, 4}), out);
      },
      "share a place");
  expect_refused(
      [&](auto& d) {
        View out = floats({8});
        out.data = out.as<float>() + 1;
        d.copy(floats({8}), out);
      },
      "overlaps");
  expect_refused([&](auto& d) { d.sort(false, false, floats({1, 8, 1}), floats({1, 8, 1})); }, "overlaps");
  expect_refused(
      [&](auto& d) {
        View out = others({1});
        out.host_scalar = true;
        d.fill(1, out);
      },
      "host scalar");
  expect_refused(
      [&](auto& d) {
        View out = others({4});
        out.data = out.as<std::byte>() + 1;
        d.fill(1, out);
      },
      "not aligned");
  expect_refused([&](auto& d) { d.fill(1, view(nullptr, float32, {4})); }, "without memory");
}

TEST_F(CheckTest, ExactlyTheInputMayBeTheOutput) {
  DeviceInterface& d = device("reference").state().device;
  EXPECT_NO_THROW(d.unary(UnaryOp::exp, floats({8}), floats({8})));
  EXPECT_NO_THROW(d.binary(BinaryOp::add, floats({8}), others({8}), others({8})));
}

}  // namespace

}  // namespace tessera::test
