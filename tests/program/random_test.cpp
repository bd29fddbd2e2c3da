// Programs drawn at random, over domains of many shapes and inputs of many layouts: a device's own way gives
// the bits of plain kernels, for any number of threads.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <tessera/tessera.hpp>

#include "program/draw.hpp"
#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

class RandomProgramTest : public DeviceTest {
 protected:
  std::vector<Array> run(const Program& program, Draw& draw, bool plain) const {
    std::vector<View> in;
    std::vector<View> out;
    std::vector<Array> outputs;
    for (const Array& x : draw.inputs()) in.push_back(view_of_array(x));
    for (const std::int32_t reg : program.outputs) outputs.push_back(draw.output(reg));
    for (const Array& x : outputs) out.push_back(view_of_array(x));
    if (plain) {
      run_by_kernels(kernels_of(device()), program, in, out);
    } else {
      kernels_of(device()).program(program, in, out);
    }
    return outputs;
  }

  /// With the outputs, where they may, in the place of copies of inputs.
  std::vector<Array> run_over_inputs(const Program& program, Draw& draw, bool plain, int& count) const {
    std::vector<View> in;
    std::vector<View> out;
    std::vector<Array> inputs;
    std::vector<Array> outputs;
    for (const Array& x : draw.inputs()) inputs.push_back(copy(x));
    for (const Array& x : inputs) in.push_back(view_of_array(x));
    std::vector<bool> taken(inputs.size(), false);
    for (std::size_t o = 0; o < program.outputs.size(); ++o) {
      outputs.push_back(draw.output(program.outputs[o]));
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (taken[i] || inputs[i].dtype() != outputs[o].dtype() || !may_write_over(program, i, o)) continue;
        taken[i] = true;
        outputs[o] = inputs[i];
        ++count;
        break;
      }
      out.push_back(view_of_array(outputs[o]));
    }
    if (plain) {
      run_by_kernels(kernels_of(device()), program, in, out);
    } else {
      kernels_of(device()).program(program, in, out);
    }
    return outputs;
  }

  void expect_same(std::uint64_t seed, std::int64_t rows, std::int64_t columns) const {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(rows) + " x " +
                 std::to_string(columns));
    Draw draw(seed, rows, columns, device());
    const Program program = draw.program();
    const std::vector<Array> expected = run(program, draw, true);
    for (const int threads : {1, 3}) {
      const ThreadScope scope(threads);
      const std::vector<Array> actual = run(program, draw, false);
      for (std::size_t i = 0; i < actual.size(); ++i) {
        EXPECT_TRUE(same_but_for_nan(actual[i], expected[i])) << "output " << i << ", threads " << threads;
      }
    }
  }
};

TEST_P(RandomProgramTest, GivesTheBitsOfPlainKernels) {
  constexpr std::pair<std::int64_t, std::int64_t> domains[] = {{1, 1},     {1, 31},   {1, 3000}, {7, 5},
                                                               {40, 3},    {900, 1},  {700, 31}, {33, 32},
                                                               {300, 129}, {5, 2047}, {3, 4096}};
  std::uint64_t seed = 1;
  for (const auto& [rows, columns] : domains) {
    for (int i = 0; i < 60 && !HasFailure(); ++i) expect_same(seed++, rows, columns);
  }
}

TEST_P(RandomProgramTest, OfLongRows) {
  constexpr std::pair<std::int64_t, std::int64_t> domains[] = {{1, 5000}, {20, 6145}, {1, 65536}, {3, 70001}};
  std::uint64_t seed = 10000;
  for (const auto& [rows, columns] : domains) {
    for (int i = 0; i < 8 && !HasFailure(); ++i) expect_same(seed++, rows, columns);
  }
}

TEST_P(RandomProgramTest, OutputsInThePlaceOfInputs) {
  constexpr std::pair<std::int64_t, std::int64_t> domains[] = {{1, 3000},  {7, 5},    {40, 3},   {700, 31},
                                                               {300, 129}, {3, 4096}, {3, 6145}, {1, 70001}};
  const int cases = device().name() == "cpu" ? 40 : 5;
  std::uint64_t seed = 20000;
  int count = 0;
  for (const auto& [rows, columns] : domains) {
    for (int i = 0; i < cases && !HasFailure(); ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(rows) + " x " +
                   std::to_string(columns));
      Draw draw(seed++, rows, columns, device());
      const Program program = draw.program();
      const std::vector<Array> expected = run(program, draw, true);
      for (const bool plain : {true, false}) {
        const std::vector<Array> actual = run_over_inputs(program, draw, plain, count);
        for (std::size_t o = 0; o < actual.size(); ++o) {
          EXPECT_TRUE(same_but_for_nan(actual[o], expected[o])) << "output " << o << ", plain " << plain;
        }
      }
    }
  }
  EXPECT_GT(count, 2 * cases);
}

TESSERA_FOR_EACH_DEVICE(RandomProgramTest);

}  // namespace
}  // namespace tessera::test
