// Small operations stay on the caller's thread: they wake none, and start none.

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

#include <tessera/tessera.hpp>

namespace tessera::test {
namespace {

std::ptrdiff_t threads_of_this_process() {
  using Tasks = std::filesystem::directory_iterator;
  return std::distance(Tasks("/proc/self/task"), Tasks());
}

Array numbers(const Shape& shape) {
  return random::uniform(random::Key(1), shape, {.dtype = float32, .device = device("cpu")});
}

TEST(SmallCallsTest, StartNoThread) {
  ASSERT_GT(num_threads(), 1);
  const Array x = numbers({100, 16});
  const Array centers = numbers({7, 16});
  const Array positions = arange(50, {.device = x.device()});
  sum(exp(x * 2 - 1), {.axis = 1});
  mean(x, {.axis = 0});
  argmin(matmul(x, matrix_transpose(centers)), {.axis = 1});
  where(x > 0.5, x, 0.0);
  cumulative_sum(x, {.axis = 0});
  argsort(x);
  take(x, positions, {.axis = 0});
  scatter_add(zeros({100, 16}, {.dtype = float64, .device = x.device()}), positions,
              take(x, positions, {.axis = 0}));
  nonzero(x > 0.5);
  ascontiguousarray(matrix_transpose(x));
  EXPECT_EQ(threads_of_this_process(), 1);
}

TEST(SmallCallsTest, ButLargeOnesDo) {
  const Array x = numbers({2000, 2000});
  sum(x + 1);
  EXPECT_GT(threads_of_this_process(), 1);
}

}  // namespace
}  // namespace tessera::test
