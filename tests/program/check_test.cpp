// Programs that break the rules are refused in words.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <tessera/error.hpp>

#include "program/builder.hpp"

namespace tessera::test {
namespace {

View view(DType dtype, const Shape& shape) {
  return {.data = nullptr, .dtype = dtype, .shape = shape, .strides = row_major_strides(shape)};
}

/// A domain of [3, 4], the inputs x float32 [3, 4] and row float32 [3, 1], and one output.
class CheckTest : public testing::Test {
 protected:
  std::string message(const std::vector<std::int32_t>& outputs, const View& output) {
    const std::vector<View> inputs = {view(float32, {3, 4}), view(float32, {3, 1})};
    try {
      check(b_.giving(outputs), inputs, std::vector{output});
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  }
  void expect(const std::string& part, std::int32_t reg) { expect(part, reg, view(float32, {3, 1})); }
  void expect(const std::string& part, std::int32_t reg, const View& output) {
    const std::string what = message({reg}, output);
    EXPECT_TRUE(what.starts_with("[program] ")) << what;
    EXPECT_NE(what.find(part), std::string::npos) << what;
  }

  Builder b_{3, 4};
  std::int32_t x_ = b_.load(0, float32);
  std::int32_t row_ = b_.load(1, float32, true);
};

TEST_F(CheckTest, AGoodOnePasses) {
  const auto difference = b_.binary(BinaryOp::subtract, x_, row_);
  const auto total = b_.reduce(ReduceOp::sum, difference, float64);
  EXPECT_EQ(message({b_.binary(BinaryOp::add, b_.cast(total, float32), row_)}, view(float32, {3, 1})), "");
}

TEST_F(CheckTest, RegistersComeFromEarlierSteps) {
  expect("step 2: it reads register 2",
         b_.add({.kind = Program::Kind::unary, .dtype = float32, .args = {2}, .value = {}}));
}

TEST_F(CheckTest, NegativeRegisters) {
  expect("register -1", b_.add({.kind = Program::Kind::unary, .dtype = float32, .args = {-1}, .value = {}}));
}

TEST_F(CheckTest, InputsExistAndFit) {
  expect("input 7 of 2", b_.load(7, float32));
}
TEST_F(CheckTest, InputsHaveTheirDtype) {
  expect("input 0 is (3, 4) float32, where (3, 4) float64 was expected", b_.load(0, float64));
}
TEST_F(CheckTest, InputsHaveTheirShape) {
  expect("input 0 is (3, 4) float32, where (3, 1) float32 was expected", b_.load(0, float32, true));
}

TEST_F(CheckTest, OutputsExist) {
  expect("output 0 is register 9 of 2", 9);
}
TEST_F(CheckTest, OutputsFit) {
  expect("output 0 is (3, 4) float64, where (3, 4) float32 was expected", x_, view(float64, {3, 4}));
}
TEST_F(CheckTest, OutputsAreAsManyAsViews) {
  EXPECT_NE(message({x_, x_}, view(float32, {3, 4})).find("it names 2 outputs, but 1 views were given"),
            std::string::npos);
}

TEST_F(CheckTest, NoSecondPass) {
  const auto total = b_.reduce(ReduceOp::sum, x_, float32);
  expect("second pass", b_.binary(BinaryOp::subtract, x_, b_.unary(UnaryOp::negative, total)));
}

TEST_F(CheckTest, TheRowFlagFollowsFromWhatIsRead) {
  const auto reg = b_.unary(UnaryOp::abs, x_);
  b_.step(reg).row = true;
  expect("of the row", reg);
}

TEST_F(CheckTest, ReductionsReadTheDomain) {
  expect("a reduction reads a value of the domain", b_.reduce(ReduceOp::sum, row_, float32));
}

TEST_F(CheckTest, ReductionsGiveTheirDtype) {
  expect("accumulation dtype", b_.reduce(ReduceOp::sum, x_, int64));
}
TEST_F(CheckTest, MinGivesTheOperandsDtype) {
  expect("min and max", b_.reduce(ReduceOp::min, x_, float64));
}
TEST_F(CheckTest, AnyTakesBool) {
  expect("any and all", b_.reduce(ReduceOp::any, x_, bool_));
}
TEST_F(CheckTest, ArgminGivesInt64) {
  const auto reg = b_.arg_reduce(ArgReduceOp::argmin, x_);
  b_.step(reg).dtype = int32;
  expect("int64", reg);
}

TEST_F(CheckTest, OperandsShareADtype) {
  expect("the operands' dtypes differ", b_.binary(BinaryOp::add, x_, b_.constant(1, float64)));
}
TEST_F(CheckTest, OperationsTakeTheDtype) {
  expect("logical_and does not take float32", b_.binary(BinaryOp::logical_and, x_, x_));
}
TEST_F(CheckTest, UnaryOperationsTakeTheDtype) {
  expect("sqrt does not take int64", b_.unary(UnaryOp::sqrt, b_.constant(1, int64)));
}
TEST_F(CheckTest, RegistersHaveTheResultsDtype) {
  const auto reg = b_.binary(BinaryOp::less, x_, x_);
  b_.step(reg).dtype = float32;
  expect("its register is float32, where bool was expected", reg);
}
TEST_F(CheckTest, ConditionsAreBool) {
  expect("bool condition", b_.where(x_, x_, x_));
}
TEST_F(CheckTest, OperationsExist) {
  const auto reg = b_.unary(UnaryOp::abs, x_);
  b_.step(reg).op = 200;
  expect("unknown operation", reg);
}

TEST(CheckEmptyColumns, MinOfNothingIsRefused) {
  Builder b(3, 0);
  const auto x = b.load(0, float32);
  const Program program = b.giving({b.reduce(ReduceOp::min, x, float32)});
  EXPECT_THROW(check(program, std::vector{view(float32, {3, 0})}, std::vector{view(float32, {3, 1})}),
               ValueError);
  const Program arg = b.giving({b.arg_reduce(ArgReduceOp::argmax, x)});
  EXPECT_THROW(check(arg, std::vector{view(float32, {3, 0})}, std::vector{view(int64, {3, 1})}), ValueError);
}

}  // namespace
}  // namespace tessera::test
