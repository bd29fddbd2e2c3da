// What cannot be traced says so, and errors are those of the plain function.

#include <sstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include <tessera/tessera.hpp>

#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TraceErrorsTest : public test::DeviceTest {
 protected:
  Array ones_here(const Shape& shape) const { return ones(shape, {.device = device()}); }
};

template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST_P(TraceErrorsTest, ReadingAValue) {
  const Array x = ones_here({1});
  const auto read = [&](const char* operation, auto&& f) {
    const std::string text = message_of<TraceError>([&] {
      compile([&](const Array& traced) {
        f(traced + 1);
        return traced;
      })(x);
    });
    EXPECT_THAT(text, HasSubstr(std::string("[") + operation + "]"));
    EXPECT_THAT(text, HasSubstr("where()"));
  };
  read("item", [](const Array& y) { return y.item<float>(); });
  read("to_host", [](const Array& y) { return y.to_host<float>(); });
  read("host_view", [](const Array& y) { return y.host_view<float>(); });
  read("nonzero", [](const Array& y) { return nonzero(y); });
  read("to_string", [](const Array& y) { return to_string(y); });
  read("print", [](const Array& y) { return std::ostringstream() << y; });
  read("save_npy", [](const Array& y) { save_npy("/tmp/never_written.npy", y); });
  const Device other = tessera::device(device().name() == "reference" ? "cpu" : "reference");
  read("to_device", [&](const Array& y) { return to_device(y, other); });
}

TEST_P(TraceErrorsTest, AnArrayThatOutlivesItsTrace) {
  Array leaked;
  const auto compiled = compile(
      [&](const Array& x) {
        leaked = x + 1;
        return x;
      },
      {.name = "leaky"});
  const Array x = ones_here({3});
  EXPECT_THAT(message_of<TraceError>([&] { compiled(x); }),
              AllOf(HasSubstr("leaky keeps 1 of the arrays"), HasSubstr("return them")));
  EXPECT_EQ(compiled.stats().traces, 0);
  EXPECT_THAT(message_of<TraceError>([&] { leaked.to_host<float>(); }), HasSubstr("has ended"));
  EXPECT_THAT(message_of<TraceError>([&] { leaked + 1; }), HasSubstr("has ended"));
  EXPECT_THAT(message_of<TraceError>([&] { compiled(leaked); }), HasSubstr("has ended"));
  EXPECT_THAT(message_of<TraceError>([&] { compile([&](const Array& y) { return y + leaked; })(x); }),
              HasSubstr("has ended"));
}

TEST_P(TraceErrorsTest, ACapturedArrayIsNotAddedTo) {
  Array sum_of_all = zeros({3}, {.device = device()});
  const auto compiled = compile([&](const Array& x) {
    sum_of_all = sum_of_all + x;
    return sum_of_all;
  });
  EXPECT_THROW(compiled(ones_here({3})), TraceError);
}

TEST_P(TraceErrorsTest, ATraceThatEndsLetsGoOfItsConstants) {
  Array leaked;
  const auto before = device().memory().in_use;
  {
    const Array large = ones_here({1 << 16});
    EXPECT_THROW(compile([&](const Array& x) -> Array {
                   leaked = sum(large) + x;
                   throw std::runtime_error("on the way");
                 })(ones_here({3})),
                 std::runtime_error);
  }
  EXPECT_EQ(device().memory().in_use, before);
}

TEST_P(TraceErrorsTest, ErrorsOfThePlainFunction) {
  const auto f = [](const Array& a, const Array& b) { return matmul(a, b); };
  const Array a = ones_here({2, 3});
  const std::string eager = message_of<ShapeError>([&] { f(a, a); });
  const auto compiled = compile(f);
  EXPECT_EQ(message_of<ShapeError>([&] { compiled(a, a); }), eager);
  EXPECT_EQ(compiled.stats().traces, 0);
  // The thread is not left tracing.
  EXPECT_EQ(sum(a).item<float>(), 6);
}

TEST_P(TraceErrorsTest, AnIndexOutOfBoundsThrowsWhenItRuns) {
  const auto compiled = compile([](const Array& x, const Array& at) { return take(x, at) + 1; });
  const Array x = ones_here({3});
  EXPECT_TRUE(test::equal(compiled(x, asarray({0, 2}, {.device = device()})), std::vector<float>{2, 2}, {2}));
  EXPECT_THROW(
      {
        compiled(x, asarray({0, 3}, {.device = device()}));
        device().synchronize();
      },
      IndexError);
}

TEST_P(TraceErrorsTest, ConstantsMayBeRead) {
  const Array scale = asarray(3.0F, {.device = device()});
  const auto compiled = compile([&](const Array& x) { return x * scale.item<float>(); });
  EXPECT_TRUE(test::equal(compiled(ones_here({2})), std::vector<float>{3, 3}, {2}));
}

TESSERA_FOR_EACH_DEVICE(TraceErrorsTest);

}  // namespace
}  // namespace tessera
