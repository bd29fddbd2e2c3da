// .npy files that NumPy wrote (data/make.py), mapped and read, and files written here.

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "core/temporary_folder.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

std::string file_of_numpy(const std::string& name) {
  return TESSERA_CORE_TEST_DATA "/npy/" + name + ".npy";
}

class NpyTest : public DeviceTest {
 protected:
  /// 0, 1, 2, ... in row-major order.
  void expect_counts_up(const std::string& name, DType dtype, const Shape& shape) const {
    SCOPED_TRACE(name);
    const Array expected = reshape(arange(element_count(shape), {.device = device()}), shape);
    for (const bool map : {false, true}) {
      const Array x = load_npy(file_of_numpy(name), {.device = device(), .memory_map = map});
      EXPECT_EQ(x.dtype(), dtype);
      EXPECT_TRUE(equal(astype(x, DType::int64), expected));
    }
  }
};

TEST_P(NpyTest, ReadsEveryDTypeInBothByteOrders) {
  for (const DType dtype : kAllDTypes) {
    const std::string name(tessera::name(dtype));
    if (dtype == DType::bool_) continue;
    expect_counts_up(name, dtype, {2, 3});
    if (itemsize(dtype) > 1) expect_counts_up(name + "_big_endian", dtype, {2, 3});
  }
  for (const bool map : {false, true}) {
    const Array flags = load_npy(file_of_numpy("bool"), {.device = device(), .memory_map = map});
    EXPECT_EQ(flags.dtype(), DType::bool_);
    EXPECT_EQ(flags.to_host<std::uint8_t>(), (std::vector<std::uint8_t>{0, 1, 0, 1, 0, 1}));
  }
}

TEST_P(NpyTest, ReadsFortranOrder) {
  expect_counts_up("fortran_f4", DType::float32, {2, 3});
  expect_counts_up("fortran_cube_i2", DType::int16, {2, 3, 4});
  expect_counts_up("fortran_big_endian_f8", DType::float64, {2, 3});
}

TEST_P(NpyTest, ReadsVersionsTwoAndThree) {
  expect_counts_up("version_2_f4", DType::float32, {2, 3});
  expect_counts_up("version_3_f4", DType::float32, {2, 3});
}

TEST_P(NpyTest, ReadsScalarsAndNothing) {
  expect_counts_up("scalar_f8", DType::float64, {});
  expect_counts_up("empty_i4", DType::int32, {0, 3});
}

TEST_P(NpyTest, WritesWhatItReads) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  for (const DType dtype : kAllDTypes) {
    SCOPED_TRACE(std::string(name(dtype)));
    const HostArray values = make_values(dtype, {3, 5}, Values::special);
    save_npy(path, upload(values, device()));
    EXPECT_TRUE(same_bits(to_host_array(load_npy(path, {.device = device()})), values));
    EXPECT_EQ(folder.file_count(), 1) << "no temporary is left";
  }
  save_npy(path, zeros({}, {.device = device()}));
  EXPECT_EQ(load_npy(path, {.device = device()}).shape(), Shape());
  save_npy(path, zeros({0, 7}, {.device = device()}));
  EXPECT_EQ(load_npy(path, {.device = device()}).shape(), Shape({0, 7}));
}

TEST_P(NpyTest, WritesTheBytesOfTheFormat) {
  const TemporaryFolder folder;
  save_npy(folder.file("x.npy"), from_host(std::vector<std::uint16_t>{1, 0x0203}, {2}, {.device = device()}));
  const std::string bytes = read_bytes(folder.file("x.npy"));
  ASSERT_EQ(bytes.size(), 128U + 4U);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(bytes.substr(8, 2), std::string("\x76\x00", 2));
  EXPECT_EQ(bytes.substr(10, 59), "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }  ");
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(bytes.substr(128), std::string("\x01\x00\x03\x02", 4));
}

TEST_P(NpyTest, WritesAnyLayout) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  for (const LayoutKind kind : kAllLayouts) {
    SCOPED_TRACE(name(kind));
    const HostArray values = suited(make_values(DType::float32, {5, 7}, Values::plain), kind);
    save_npy(path, place(values, kind, device()));
    EXPECT_TRUE(equal(load_npy(path, {.device = device()}), values));
  }
}

TEST_P(NpyTest, MapsWithoutMemoryAndNeverWrites) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  save_npy(path, arange(4096, {.dtype = DType::float32, .device = device()}));
  const std::string before = read_bytes(path);
  {
    const PeakScope scope(device());
    Array x = load_npy(path, {.device = device(), .memory_map = true});
    if (device().host_memory()) {
      EXPECT_EQ(scope.peak(), 0);
    }
    const Array part = index(x, {slice(1, 3)});
    const Array negated = negative(std::move(x));
    EXPECT_EQ(index(negated, {5}).item<float>(), -5);
    EXPECT_TRUE(equal(part, std::vector<float>{1, 2}, {2}));
  }
  EXPECT_EQ(read_bytes(path), before);
}

TEST_P(NpyTest, AMappedArrayOutlivesItsFilesName) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  save_npy(path, arange(4, {.device = device()}));
  const Array x = load_npy(path, {.device = device(), .memory_map = true});
  save_npy(path, zeros({4}, {.device = device()}));  // a new file under the name; the old one lives on
  EXPECT_TRUE(equal(x, std::vector<std::int64_t>{0, 1, 2, 3}, {4}));
}

TEST_P(NpyTest, MapsMoreThanTwoGibibytes) {
  if (!device().host_memory()) GTEST_SKIP() << "mapping is for devices on the host's memory";
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  constexpr std::int64_t kRows = (std::int64_t{1} << 28) + 1;
  // The header is that of a file of one row; the data is a hole but for the last bytes.
  NpyWriter(path, DType::uint8, {0, 8}).close();
  std::string header = read_bytes(path);
  const std::string rows = std::to_string(kRows);
  header.replace(header.find("(0,") + 1, 1, rows);
  header.erase(header.find(" }") + 2, rows.size() - 1);
  write_bytes(path, header);
  std::error_code failed;
  std::filesystem::resize_file(path, header.size() + static_cast<std::uintmax_t>(kRows * 8), failed);
  if (failed) GTEST_SKIP() << "no files with holes here: " << failed.message();
  const int file = ::open(path.c_str(), O_WRONLY);
  ASSERT_EQ(::pwrite(file, "\x07", 1, static_cast<off_t>(header.size()) + kRows * 8 - 1), 1);
  ::close(file);

  const Array x = load_npy(path, {.device = device(), .memory_map = true});
  EXPECT_EQ(x.shape(), Shape({kRows, 8}));
  EXPECT_EQ(index(x, {-1, -1}).item<int>(), 7);
  EXPECT_EQ(index(flip(x), {0, 0}).item<int>(), 7);
  EXPECT_TRUE(equal(index(x, {slice(-2, {}, 1), slice(6)}), std::vector<std::uint8_t>{0, 0, 0, 7}, {2, 2}));
}

TESSERA_FOR_EACH_DEVICE(NpyTest);

}  // namespace
}  // namespace tessera::test
