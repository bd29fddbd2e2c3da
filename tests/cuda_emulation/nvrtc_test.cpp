// The source of programs goes through CUDA's own compiler, where it is there: no GPU is needed for that.

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <iterator>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>

#include "devices/common/element_ops.hpp"
#include "devices/cuda/nvrtc.hpp"
#include "devices/cuda/program_source.hpp"
#include "program/builder.hpp"

namespace tessera::test {
namespace {

bool compiler_is_there() {
  for (const char* const name : {"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13"}) {
    if (dlopen(name, RTLD_NOW | RTLD_LOCAL) != nullptr) return true;
  }
  return false;
}

constexpr DType kDTypes[] = {bool_,  int8,   int16,  int32,   int64,  uint8,
                             uint16, uint32, uint64, float32, float64};

/// Each operation on each dtype that takes it, each cast, and each reduction.
Program everything() {
  Builder b(100, 100);
  std::vector<std::int32_t> outputs;
  std::int32_t input = 0;
  for (const DType dtype : kDTypes) {
    const auto x = b.load(input++, dtype);
    const auto y = b.constant(3, dtype);
    for (int op = 0; op < kUnaryOpCount; ++op) {
      if (element::takes(static_cast<UnaryOp>(op), dtype)) b.unary(static_cast<UnaryOp>(op), x);
    }
    for (int op = 0; op < kBinaryOpCount; ++op) {
      if (element::takes(static_cast<BinaryOp>(op), dtype)) b.binary(static_cast<BinaryOp>(op), x, y);
    }
    for (const DType other : kDTypes) b.cast(x, other);
    outputs.push_back(b.where(b.cast(x, bool_), x, y));
    if (dtype == bool_) {
      outputs.push_back(b.reduce(ReduceOp::any, x, bool_));
      outputs.push_back(b.reduce(ReduceOp::all, x, bool_));
      continue;
    }
    outputs.push_back(b.reduce(ReduceOp::sum, x, accumulation_dtype(dtype)));
    outputs.push_back(b.reduce(ReduceOp::prod, x, accumulation_dtype(dtype)));
    outputs.push_back(b.reduce(ReduceOp::min, x, dtype));
    outputs.push_back(b.reduce(ReduceOp::max, x, dtype));
    outputs.push_back(b.arg_reduce(ArgReduceOp::argmin, x));
  }
  return b.giving(outputs);
}

TEST(CudaNvrtc, CompilesEachOperationOnEachDType) {
  if (!compiler_is_there()) GTEST_SKIP() << "there is no libnvrtc.so.13 on this machine";
  const Program program = everything();
  const std::string source = cuda::write_program(program, std::size(kDTypes));
  for (const int capability : {75, 90}) {
    EXPECT_GT(cuda::compile_to_code(source, capability).size(), 1000U) << capability;
  }
}

TEST(CudaNvrtc, CompilesElementWiseCode) {
  if (!compiler_is_there()) GTEST_SKIP() << "there is no libnvrtc.so.13 on this machine";
  Builder b(1000, 1000);
  const auto x = b.load(0, float32);
  const Program program =
      b.giving({b.binary(BinaryOp::add, b.unary(UnaryOp::sqrt, x), b.load(1, float32, true))});
  EXPECT_GT(cuda::compile_to_code(cuda::write_program(program, 2), 90).size(), 1000U);
}

/// More than the 4 KiB that arguments once had.
TEST(CudaNvrtc, CompilesProgramsOfManyViews) {
  if (!compiler_is_there()) GTEST_SKIP() << "there is no libnvrtc.so.13 on this machine";
  constexpr int kViews = 300;
  Builder b(1000, 1000);
  std::int32_t sum = b.load(0, float32);
  for (int i = 1; i < kViews; ++i) sum = b.binary(BinaryOp::add, sum, b.load(i, float32));
  EXPECT_GT(cuda::compile_to_code(cuda::write_program(b.giving({sum}), kViews), 75).size(), 1000U);
}

TEST(CudaNvrtc, TellsWhatTheCompilerSays) {
  if (!compiler_is_there()) GTEST_SKIP() << "there is no libnvrtc.so.13 on this machine";
  try {
    cuda::compile_to_code("nonsense", 90);
    ADD_FAILURE() << "nonsense was compiled";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tessera::test
