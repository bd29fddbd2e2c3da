// Files that are not what they say, written by hand: each is refused in words, read or mapped.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/tessera.hpp>
#include "core/temporary_folder.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {
namespace {

std::string with_length(char major, const std::string& dict) {
  std::string bytes = std::string("\x93NUMPY", 6) + major + '\0';
  const std::size_t field = major == '\x01' ? 2 : 4;
  for (std::size_t i = 0; i < field; ++i) bytes += static_cast<char>(dict.size() >> (8 * i) & 0xff);
  return bytes + dict;
}

std::string file(const std::string& dict, const std::string& data = "") {
  return with_length('\x01', dict) + data;
}

const std::string kGood = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n";
const std::string kData(12, '\x01');

struct Case {
  std::string what;
  std::string bytes;
  std::string fragment;  ///< of the message
};

const std::vector<Case>& malformed() {
  static const auto dict = [](const std::string& descr, const std::string& order, const std::string& shape) {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + "}";
  };
  static const std::vector<Case> cases = {
      {"nothing", "", "no .npy file"},
      {"text", "1,2,3\n4,5,6\n", "no .npy file"},
      {"five bytes of magic", std::string("\x93NUMP", 5), "no .npy file"},
      {"wrong magic", std::string("\x93NUMPX\x01\x00", 8) + std::string(80, ' '), "no .npy file"},
      {"version 0", with_length('\x00', kGood) + kData, "version 0.0"},
      {"version 9", with_length('\x09', kGood) + kData, "version 9.0"},
      {"no length", std::string("\x93NUMPY\x01\x00\x10", 9), "ends within its header"},
      {"header cut", file(kGood).substr(0, 30), "ends within its header"},
      {"length past the end", std::string("\x93NUMPY\x01\x00\xff\xff", 10) + kGood, "ends within its header"},
      {"huge length", std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + kGood, "header claims"},
      {"no dict", file("[1, 2]", kData), "not a dict"},
      {"empty header", file("", kData), "not a dict"},
      {"open dict", file("{'descr': '<i2', ", kData), "not a dict"},
      {"open string", file("{'descr: <i2}", kData), "not a dict"},
      {"no colon", file("{'descr' '<i2'}", kData), "not a dict"},
      {"no comma", file("{'descr': '<i2' 'fortran_order': False}", kData), "comma"},
      {"after the dict", file(kGood.substr(0, kGood.size() - 1) + " x", kData), "goes on after the dict"},
      {"no descr", file("{'fortran_order': False, 'shape': (2, 3)}", kData), "no key 'descr'"},
      {"no order", file("{'descr': '<i2', 'shape': (2, 3)}", kData), "no key 'fortran_order'"},
      {"no shape", file("{'descr': '<i2', 'fortran_order': False}", kData), "no key 'shape'"},
      {"extra key", file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), 'x': 1}", kData), "'x'"},
      {"twice", file("{'descr': '<i2', 'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)}", kData),
       "twice"},
      {"order 0", file(dict("'<i2'", "0", "(2, 3)"), kData), "fortran_order"},
      {"float16", file(dict("'<f2'", "False", "(2, 3)"), kData), "'<f2'"},
      {"complex", file(dict("'<c8'", "False", "(2, 3)"), kData), "'<c8'"},
      {"text dtype", file(dict("'<U3'", "False", "(1,)"), kData), "'<U3'"},
      {"dates", file(dict("'<M8[ns]'", "False", "(1,)"), kData), "'<M8[ns]'"},
      {"objects", file(dict("'|O'", "False", "(2, 3)"), kData), "Python objects"},
      {"structured", file(dict("[('a', '<i2'), ('b', '<f4')]", "False", "(2,)"), kData), "structured"},
      {"empty descr", file(dict("''", "False", "(2, 3)"), kData), "descr is empty"},
      {"descr is a number", file(dict("5", "False", "(2, 3)"), kData), "descr"},
      {"shape is a list", file(dict("'<i2'", "False", "[2, 3]"), kData), "tuple"},
      {"shape is a number", file(dict("'<i2'", "False", "6"), kData), "tuple"},
      {"shape of floats", file(dict("'<i2'", "False", "(2.0, 3)"), kData), "tuple of integers"},
      {"shape of words", file(dict("'<i2'", "False", "(two, 3)"), kData), "tuple of integers"},
      {"open shape", file(dict("'<i2'", "False", "(2, 3"), kData), "tuple of integers"},
      {"negative extent", file(dict("'<i2'", "False", "(-2, 3)"), kData), "negative extent -2"},
      {"extent past int64", file(dict("'<i2'", "False", "(9223372036854775808,)"), kData), "2^63"},
      {"elements past int64", file(dict("'<i2'", "False", "(4294967296, 4294967296, 3)"), kData), "2^64"},
      {"bytes past int64", file(dict("'<f8'", "False", "(2305843009213693952,)"), kData), "2^64"},
      {"17 dimensions",
       file(dict("'<i2'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)"), "xx"),
       "more than 16 dimensions"},
      {"truncated", file(kGood, kData.substr(0, 11)), "takes 12 bytes, but 11"},
      {"no data", file(kGood), "takes 12 bytes, but 0"},
      {"larger shape", file(dict("'<i2'", "False", "(2, 4)"), kData), "takes 16 bytes, but 12"},
      {"more after it", file(kGood, kData + "x"), "goes on after its array"},
      {"two arrays", file(kGood, kData) + file(kGood, kData), "goes on after its array"},
  };
  return cases;
}

class NpyMalformedTest : public DeviceTest {};

TEST_P(NpyMalformedTest, IsRefusedInWords) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  for (const Case& one : malformed()) {
    write_bytes(path, one.bytes);
    for (const bool map : {false, true}) {
      SCOPED_TRACE(one.what + (map ? ", mapped" : ""));
      try {
        load_npy(path, {.device = device(), .memory_map = map});
        ADD_FAILURE() << "no error";
      } catch (const IOError& error) {
        const std::string text = error.what();
        EXPECT_TRUE(text.starts_with("[load_npy] \"" + path + "\"")) << text;
        EXPECT_NE(text.find(one.fragment), std::string::npos) << text;
        EXPECT_NE(text.find("; "), std::string::npos) << "no hint: " << text;
      }
    }
  }
}

TEST_P(NpyMalformedTest, UnusualButRightIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  const std::vector<std::string> files = {
      file(kGood, kData),
      with_length('\x02', kGood) + kData,
      with_length('\x03', kGood) + kData,
      file("{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<i2\"}", kData),
      file("{ 'descr' : 'i2' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) , }   \n", kData),
      file("{'descr': '=i2', 'fortran_order': False, 'shape': (2L, 3L), }", kData),
      file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", kData),
  };
  for (const std::string& bytes : files) {
    SCOPED_TRACE(bytes.substr(10));
    write_bytes(path, bytes);
    for (const bool map : {false, true}) {
      const Array x = load_npy(path, {.device = device(), .memory_map = map});
      EXPECT_TRUE(equal(x, std::vector<std::int16_t>(6, 0x0101), {2, 3}));
    }
  }
}

TEST_P(NpyMalformedTest, BytesOfABoolCountAsTrue) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  write_bytes(path, file("{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}",
                         std::string("\x00\x02\x01\xff", 4)));
  for (const bool map : {false, true}) {
    const Array x = load_npy(path, {.device = device(), .memory_map = map});
    EXPECT_EQ(x.to_host<std::uint8_t>(), (std::vector<std::uint8_t>{0, 1, 1, 1}));
  }
}

TEST_P(NpyMalformedTest, PathsThatAreNoFiles) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& path) -> std::string {
    try {
      load_npy(path, {.device = device()});
    } catch (const IOError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message(folder.file("missing.npy")).find("No such file"), std::string::npos);
  EXPECT_NE(message(folder.file("")).find("is a folder"), std::string::npos);
  EXPECT_NE(message("/dev/null").find("no regular file"), std::string::npos);
}

TESSERA_FOR_EACH_DEVICE(NpyMalformedTest);

}  // namespace
}  // namespace tessera::test
