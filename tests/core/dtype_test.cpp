#include <tessera/dtype.hpp>

#include <array>
#include <string>

#include <gtest/gtest.h>

#include <tessera/error.hpp>
#include "support/arrays.hpp"

namespace tessera::test {
namespace {

// The promotion tables of the Array API, as it prints them: b, then i1 .. u8, f4, f8; "--" is undefined.
constexpr std::array<std::array<std::string_view, kDTypeCount>, kDTypeCount> kPromotion = {{
    //          bool    int8     int16    int32    int64    uint8     uint16    uint32    uint64   f4       f8
    /* bool  */ {"bool", "--", "--", "--", "--", "--", "--", "--", "--", "--", "--"},
    /* int8  */ {"--", "int8", "int16", "int32", "int64", "int16", "int32", "int64", "--", "--", "--"},
    /* int16 */ {"--", "int16", "int16", "int32", "int64", "int16", "int32", "int64", "--", "--", "--"},
    /* int32 */ {"--", "int32", "int32", "int32", "int64", "int32", "int32", "int64", "--", "--", "--"},
    /* int64 */ {"--", "int64", "int64", "int64", "int64", "int64", "int64", "int64", "--", "--", "--"},
    /* uint8 */ {"--", "int16", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "--", "--"},
    /* uint16*/
    {"--", "int32", "int32", "int32", "int64", "uint16", "uint16", "uint32", "uint64", "--", "--"},
    /* uint32*/
    {"--", "int64", "int64", "int64", "int64", "uint32", "uint32", "uint32", "uint64", "--", "--"},
    /* uint64*/ {"--", "--", "--", "--", "--", "uint64", "uint64", "uint64", "uint64", "--", "--"},
    /* f4    */ {"--", "--", "--", "--", "--", "--", "--", "--", "--", "float32", "float64"},
    /* f8    */ {"--", "--", "--", "--", "--", "--", "--", "--", "--", "float64", "float64"},
}};

TEST(DTypeTest, PromotesByTheArrayApisTables) {
  for (const DType a : kAllDTypes) {
    for (const DType b : kAllDTypes) {
      const std::string_view expected = kPromotion[static_cast<int>(a)][static_cast<int>(b)];
      SCOPED_TRACE(std::string(name(a)) + " with " + std::string(name(b)));
      EXPECT_EQ(can_promote(a, b), expected != "--");
      if (expected == "--") {
        EXPECT_THROW(result_type(a, b), DTypeError);
      } else {
        EXPECT_EQ(name(result_type(a, b)), expected);
      }
    }
  }
}

TEST(DTypeTest, KnowsNamesBothWays) {
  for (const DType dtype : kAllDTypes) EXPECT_EQ(dtype_from_name(name(dtype)), dtype);
  EXPECT_THROW(dtype_from_name("float16"), DTypeError);
  EXPECT_THROW(dtype_from_name(""), DTypeError);
}

TEST(DTypeTest, SaysWhatItSawAndWhatToDo) {
  try {
    result_type(DType::int32, DType::float32);
    FAIL() << "no error";
  } catch (const DTypeError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("int32"), std::string::npos) << text;
    EXPECT_NE(text.find("float32"), std::string::npos) << text;
    EXPECT_NE(text.find("astype"), std::string::npos) << text;
  }
}

TEST(DTypeTest, HasTheSizesAndKindsOfItsNames) {
  for (const DType dtype : kAllDTypes) {
    const std::string text(name(dtype));
    SCOPED_TRACE(text);
    EXPECT_EQ(is_bool(dtype), text == "bool");
    EXPECT_EQ(is_floating(dtype), text.starts_with("float"));
    EXPECT_EQ(is_signed_integer(dtype), text.starts_with("int"));
    EXPECT_EQ(is_unsigned_integer(dtype), text.starts_with("uint"));
    EXPECT_EQ(is_numeric(dtype), text != "bool");
    const std::size_t digit = text.find_first_of("0123456789");
    const std::size_t bits = digit == std::string::npos ? 8 : std::stoul(text.substr(digit));
    EXPECT_EQ(itemsize(dtype) * 8, bits);
    const std::size_t visited = visit_dtype(dtype, [](auto zero) { return sizeof(zero); });
    EXPECT_EQ(visited, itemsize(dtype));
    EXPECT_EQ(visit_dtype(dtype, [](auto zero) { return dtype_of<decltype(zero)>(); }), dtype);
  }
}

}  // namespace
}  // namespace tessera::test
