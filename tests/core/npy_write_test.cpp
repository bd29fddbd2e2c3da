// Writing: in pieces, and what happens when it fails.

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "core/temporary_folder.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

/// Files of this process cannot grow past that many bytes while it lives: what a full disk looks like.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_ = {};
  void (*handler_)(int);
};

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const IOError& error) {
    return error.what();
  }
  return "no error";
}

class NpyWriteTest : public DeviceTest {
 protected:
  Array rows(int first, int count) const {
    return reshape(arange(first * 3, (first + count) * 3, 1, {.dtype = DType::int32, .device = device()}),
                   {count, 3});
  }
};

TEST_P(NpyWriteTest, AppendsRows) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  NpyWriter writer(path, DType::int32, {5, 3});
  writer.append(rows(0, 2));
  EXPECT_FALSE(std::filesystem::exists(path)) << "it appears when it is complete";
  writer.append(rows(2, 0));
  writer.append(flip(flip(rows(2, 3))));
  writer.close();
  writer.close();
  EXPECT_TRUE(equal(load_npy(path, {.device = device()}), rows(0, 5)));
  EXPECT_EQ(folder.file_count(), 1);
  EXPECT_THROW(writer.append(rows(0, 1)), ValueError);
}

TEST_P(NpyWriteTest, RefusesRowsThatDoNotFit) {
  const TemporaryFolder folder;
  NpyWriter writer(folder.file("x.npy"), DType::int32, {2, 3});
  EXPECT_THROW(writer.append(zeros({1, 3}, {.device = device()})), DTypeError);
  EXPECT_THROW(writer.append(matrix_transpose(rows(0, 1))), ShapeError);
  EXPECT_THROW(writer.append(rows(0, 3)), ValueError);
  writer.append(rows(0, 1));
  EXPECT_THROW(writer.append(rows(0, 2)), ValueError);
  EXPECT_THROW(writer.close(), ValueError) << "a row is missing";
  writer.append(rows(1, 1));
  writer.close();
  EXPECT_TRUE(equal(load_npy(folder.file("x.npy"), {.device = device()}), rows(0, 2)));
  EXPECT_THROW(NpyWriter(folder.file("y.npy"), DType::int32, {}), ShapeError);
  EXPECT_THROW(NpyWriter(folder.file("y.npy"), DType::int32, {-1, 3}), ShapeError);
}

TEST_P(NpyWriteTest, TakesNothingAfterAFailure) {
  const TemporaryFolder folder;
  NpyWriter writer(folder.file("x.npy"), DType::int32, {2000, 3});
  {
    const FileSizeLimit limit(1000);
    EXPECT_THROW(writer.append(rows(0, 2000)), IOError);
  }
  EXPECT_NE(message_of([&] { writer.append(rows(0, 2000)); }).find("append that failed"), std::string::npos);
  EXPECT_THROW(writer.close(), IOError);
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.npy")));
}

TEST_P(NpyWriteTest, LeavesNothingBehindWithoutClose) {
  const TemporaryFolder folder;
  {
    NpyWriter writer(folder.file("x.npy"), DType::int32, {5, 3});
    writer.append(rows(0, 2));
    EXPECT_EQ(folder.file_count(), 1) << "the temporary";
  }
  EXPECT_EQ(folder.file_count(), 0);
}

TEST_P(NpyWriteTest, KeepsTheOldFileWhereTheDiskIsFull) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  save_npy(path, rows(0, 2));
  {
    const FileSizeLimit limit(1000);
    const std::string message = message_of([&] { save_npy(path, zeros({1 << 12}, {.device = device()})); });
    EXPECT_TRUE(message.starts_with("[save_npy] \"" + path + "\"")) << message;
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
  }
  EXPECT_EQ(folder.file_count(), 1) << "no temporary is left";
  EXPECT_TRUE(equal(load_npy(path, {.device = device()}), rows(0, 2)));
}

TEST_P(NpyWriteTest, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  const Array x = rows(0, 2);
  const std::string missing = folder.file("none/x.npy");
  EXPECT_NE(
      message_of([&] { save_npy(missing, x); }).find("\"" + missing + "\" cannot be written: No such file"),
      std::string::npos);
  save_npy(folder.file("file"), x);
  EXPECT_NE(message_of([&] { save_npy(folder.file("file/x.npy"), x); }).find("Not a directory"),
            std::string::npos);
  EXPECT_NE(message_of([&] { save_npy(folder.file(""), x); }).find("Is a directory"), std::string::npos);
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_NE(message_of([&] { save_npy("/dev/full", x); }).find("No space left on device"),
              std::string::npos);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full")) << "a device is written to, not replaced";
  }
}

TEST_P(NpyWriteTest, FollowsLinks) {
  const TemporaryFolder folder;
  save_npy(folder.file("x.npy"), rows(0, 1));
  std::filesystem::create_symlink("x.npy", folder.file("link.npy"));
  save_npy(folder.file("link.npy"), rows(0, 2));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.npy")));
  EXPECT_TRUE(equal(load_npy(folder.file("x.npy"), {.device = device()}), rows(0, 2)));
}

TEST_P(NpyWriteTest, LargerThanAPiece) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  // Past the pieces of 8 MiB that readers and writers move, in a layout that has to be gathered.
  const Array wide = reshape(arange(3 << 20, {.dtype = DType::int32, .device = device()}), {3, 1 << 20});
  const Array turned = matrix_transpose(wide);
  save_npy(path, turned);
  EXPECT_TRUE(equal(load_npy(path, {.device = device()}), turned));
  const Array long_rows = broadcast_to(wide, {2, 3, 1 << 20});
  save_npy(path, long_rows);
  const Array loaded = load_npy(path, {.device = device()});
  EXPECT_TRUE(all(loaded == long_rows).item<bool>());
}

TESSERA_FOR_EACH_DEVICE(NpyWriteTest);

}  // namespace
}  // namespace tessera::test
