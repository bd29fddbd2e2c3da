// Programs that are compiled at run time give the bits of plain kernels: the source that NVRTC gets on a GPU,
// compiled by the host's compiler here.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <tessera/tessera.hpp>

#include "controls.hpp"
#include "program/draw.hpp"
#include "support/arrays.hpp"
#include "support/compare.hpp"

namespace tessera::test {
namespace {

/// The sums of x + 0, x + 1, ... of each row, added up.
Program sums_of_shifted(std::int64_t rows, std::int64_t columns, int count) {
  Builder b(rows, columns);
  const auto x = b.load(0, float32);
  std::vector<std::int32_t> sums;
  for (int i = 0; i < count; ++i) {
    sums.push_back(b.reduce(ReduceOp::sum, b.binary(BinaryOp::add, x, b.constant(i, float32)), float32));
  }
  std::int32_t total = sums[0];
  for (int i = 1; i < count; ++i) {
    total = b.binary(BinaryOp::add, total, sums[static_cast<std::size_t>(i)]);
  }
  return b.giving({total});
}

class CudaProgram : public ::testing::Test {
 protected:
  void SetUp() override { controls_.compile_from(1); }
  void TearDown() override {
    controls_.compile_from(std::numeric_limits<long>::max());
    controls_.set_order(0);
    controls_.set_fill(0xff);
  }

  std::vector<Array> run(const Program& program, Draw& draw, bool plain) const {
    std::vector<View> in;
    std::vector<View> out;
    std::vector<Array> outputs;
    for (const Array& x : draw.inputs()) in.push_back(view_of_array(x));
    for (const std::int32_t reg : program.outputs) outputs.push_back(draw.output(reg));
    for (const Array& x : outputs) out.push_back(view_of_array(x));
    if (plain) {
      run_by_kernels(kernels_of(device_), program, in, out);
    } else {
      kernels_of(device_).program(program, in, out);
    }
    return outputs;
  }

  void expect_sums_of_shifted(int count) const {
    const Array x = ones({5, 4}, {.dtype = float32, .device = device_});
    const Array sums = zeros({5, 1}, {.dtype = float32, .device = device_});
    kernels_of(device_).program(sums_of_shifted(5, 4, count), std::vector<View>{view_of_array(x)},
                                std::vector<View>{view_of_array(sums)});
    EXPECT_EQ(sums.to_host<float>(), std::vector<float>(5, static_cast<float>(2 * count * (count + 1))));
  }

  const Device device_ = device("cuda-emulated");
  const CudaControls controls_{CUDA_EMULATED_MODULE};
};

TEST_F(CudaProgram, CompiledGivesTheBitsOfPlainKernels) {
  // One thread a row, a warp, a block; more rows than a grid takes at once.
  constexpr std::pair<std::int64_t, std::int64_t> domains[] = {{1, 1},   {7, 5},     {900, 1},  {700, 16},
                                                               {33, 32}, {300, 129}, {5, 2047}, {3, 4096}};
  const auto for_each_draw = [&](const std::function<void(const Program&, Draw&)>& body) {
    std::uint64_t seed = 1;
    for (const auto& [rows, columns] : domains) {
      for (int i = 0; i < 4 && !HasFailure(); ++i, ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(rows) + " x " +
                     std::to_string(columns));
        Draw draw(seed, rows, columns, device_);
        body(draw.program(), draw);
      }
    }
  };
  const long before = controls_.compilations();
  controls_.collect_programs(true);
  for_each_draw([&](const Program& program, Draw& draw) { run(program, draw, false); });
  controls_.collect_programs(false);
  for_each_draw([&](const Program& program, Draw& draw) {
    const std::vector<Array> expected = run(program, draw, true);
    for (const int order : {0, 1, 2}) {
      controls_.set_order(order);
      controls_.set_fill(order == 1 ? 0x3c : 0xff);
      const std::vector<Array> actual = run(program, draw, false);
      for (std::size_t o = 0; o < actual.size(); ++o) {
        EXPECT_TRUE(same_but_for_nan(actual[o], expected[o])) << "output " << o << ", order " << order;
      }
    }
  });
  EXPECT_GE(controls_.compilations() - before, 30) << "they were compiled";
}

TEST_F(CudaProgram, OneSourceServesAllSizesAndConstants) {
  const auto scaled_sum = [&](std::int64_t rows, std::int64_t columns, int factor) {
    Builder b(rows, columns);
    const auto scaled = b.binary(BinaryOp::multiply, b.load(0, float32), b.constant(factor, float32));
    const Program program = b.giving({b.reduce(ReduceOp::sum, scaled, float32)});
    const Array x = ones({rows, columns}, {.dtype = float32, .device = device_});
    const Array sums = zeros({rows, 1}, {.dtype = float32, .device = device_});
    kernels_of(device_).program(program, std::vector<View>{view_of_array(x)},
                                std::vector<View>{view_of_array(sums)});
    return sums.to_host<float>();
  };
  EXPECT_EQ(scaled_sum(3, 4, -1), std::vector<float>(3, -4));
  const long before = controls_.compilations();
  EXPECT_EQ(scaled_sum(50, 300, 2), std::vector<float>(50, 600));
  EXPECT_EQ(scaled_sum(2, 3000, 3), std::vector<float>(2, 9000));
  EXPECT_EQ(controls_.compilations(), before);
}

TEST_F(CudaProgram, FewElementsDoNotWaitForACompiler) {
  controls_.compile_from(1000);
  const long before = controls_.compilations();
  Draw draw(12345, 9, 9, device_);
  run(draw.program(), draw, false);
  EXPECT_EQ(controls_.compilations(), before);
}

TEST_F(CudaProgram, MoreConstantsThanArguments) {
  const long before = controls_.compilations();
  expect_sums_of_shifted(150);
  EXPECT_EQ(controls_.compilations() - before, 1);
}

TEST_F(CudaProgram, AsManyViewsAsAProgramHas) {
  // The sums of x + c of each row, for rows c: a tile of centers is such a program.
  constexpr int kCenters = 130;
  Builder b(9, 40);
  const auto x = b.load(0, float32);
  std::vector<std::int32_t> sums;
  for (int j = 1; j <= kCenters; ++j) {
    sums.push_back(b.reduce(ReduceOp::sum, b.binary(BinaryOp::add, x, b.load(j, float32)), float32));
  }
  const Program program = b.giving(sums);
  const Array samples = upload(make_values(float32, {9, 40}, Values::plain), device_);
  const Array centers = upload(make_values(float32, {kCenters, 40}, Values::plain, 2), device_);
  std::vector<View> in{view_of_array(samples)};
  for (int j = 0; j < kCenters; ++j) {
    in.push_back(view_of_array(broadcast_to(index(centers, {slice(j, j + 1)}), {9, 40})));
  }
  const auto run_with = [&](const auto& runs) {
    const Array out = zeros({9, kCenters}, {.dtype = float32, .device = device_});
    std::vector<View> columns;
    for (int j = 0; j < kCenters; ++j)
      columns.push_back(view_of_array(index(out, {slice(), slice(j, j + 1)})));
    runs(columns);
    return out;
  };
  const long before = controls_.compilations();
  const Array compiled =
      run_with([&](const std::vector<View>& out) { kernels_of(device_).program(program, in, out); });
  EXPECT_EQ(controls_.compilations() - before, 1);
  EXPECT_TRUE(same_bits(compiled, run_with([&](const std::vector<View>& out) {
                          run_by_kernels(kernels_of(device_), program, in, out);
                        })));
}

TEST_F(CudaProgram, ProgramsTooLargeForAKernelRunByPlainOnes) {
  const long before = controls_.compilations();
  expect_sums_of_shifted(201);
  EXPECT_EQ(controls_.compilations(), before);
}

TEST_F(CudaProgram, WithoutACompilerPlainKernelsRunAndOneWarningSaysWhy) {
  controls_.hide_libraries(true);
  ::testing::internal::CaptureStderr();
  for (const int count : {11, 12, 11}) expect_sums_of_shifted(count);
  controls_.hide_libraries(false);
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(told.find("the compiler cannot be opened"), told.rfind("the compiler cannot be opened"));
  EXPECT_NE(told.find("run by plain kernels, with the same bits"), std::string::npos) << told;
}

}  // namespace
}  // namespace tessera::test
