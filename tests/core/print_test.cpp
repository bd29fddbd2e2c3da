// Printing against what NumPy printed: data/make.py made the files.

#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "core/temporary_folder.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

class PrintTest : public DeviceTest {};

std::string printed(const Array& x) {
  std::ostringstream stream;
  stream << x;
  return stream.str();
}

TEST_P(PrintTest, PrintsAsNumPy) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_CORE_TEST_DATA "/printed")) {
    if (entry.path().extension() != ".npy") continue;
    SCOPED_TRACE(entry.path().filename().string());
    auto text = entry.path();
    const std::string expected = read_bytes(text.replace_extension(".txt").string());
    const Array x = load_npy(entry.path().string(), {.device = device()});
    EXPECT_EQ(to_string(x) + "\n", expected);
    ++count;
  }
  EXPECT_GT(count, 40);
}

TEST_P(PrintTest, PrintsViews) {
  const Array x = reshape(arange(6, {.device = device()}), {2, 3});
  EXPECT_EQ(to_string(matrix_transpose(x)), "[[0 3]\n [1 4]\n [2 5]]");
  EXPECT_EQ(to_string(flip(x)), "[[5 4 3]\n [2 1 0]]");
  EXPECT_EQ(to_string(broadcast_to(index(x, {0}), {2, 3})), "[[0 1 2]\n [0 1 2]]");
}

TEST_P(PrintTest, StreamsSayDTypeAndDevice) {
  const std::string where = ", device=" + device().name() + ")";
  const Array x = from_host(std::vector<float>{1, 2.5F, -3}, {3}, {.device = device()});
  EXPECT_EQ(printed(x), "array([ 1. ,  2.5, -3. ], dtype=float32" + where);
  const Array y = reshape(arange(6, {.device = device()}), {2, 3});
  EXPECT_EQ(printed(y), "array([[0, 1, 2],\n       [3, 4, 5]], dtype=int64" + where);
  EXPECT_EQ(printed(zeros({0, 3}, {.device = device()})), "array([], shape=(0, 3), dtype=float32" + where);
  EXPECT_EQ(printed(full({}, 2.0, {.dtype = DType::float64, .device = device()})),
            "array(2., dtype=float64" + where);
  EXPECT_EQ(printed(arange(2000, {.device = device()})),
            "array([   0,    1,    2, ..., 1997, 1998, 1999],\n      shape=(2000,), dtype=int64" + where);
}

TEST_P(PrintTest, ReadsOnlyTheCornersOfALargeArray) {
  const Array x = zeros({4000, 1000}, {.device = device()});
  const PeakScope scope(device());
  EXPECT_EQ(to_string(x).substr(0, 22), "[[0. 0. 0. ... 0. 0. 0");
  EXPECT_LT(scope.peak(), 1 << 16);
}

TEST_P(PrintTest, OfNoArray) {
  EXPECT_EQ(printed(Array()), "array(none)");
  EXPECT_THROW(to_string(Array()), ValueError);
}

TESSERA_FOR_EACH_DEVICE(PrintTest);

}  // namespace
}  // namespace tessera::test
