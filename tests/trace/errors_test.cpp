// What cannot be traced says so, and errors are those of the plain function.

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include <tessera/tessera.hpp>

#include "core/temporary_folder.hpp"
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
  struct Reader {
    const char* name;
    const char* instead;  ///< a part of what it says to do
    std::function<void(const Array&)> read;
  };
  const Device other = tessera::device(device().name() == "reference" ? "cpu" : "reference");
  const auto choose = [](bool replace) {
    return
        [replace](const Array& y) { random::choice(random::Key(1), 3, {2}, {.replace = replace, .p = y}); };
  };
  const test::TemporaryFolder folder;
  const std::string file = folder.file("never_written.npy");
  const Reader readers[] = {
      {"item", "where()", [](const Array& y) { index(y, {0}).item<float>(); }},
      {"to_host", "read it outside", [](const Array& y) { y.to_host<float>(); }},
      {"host_view", "read it outside", [](const Array& y) { y.host_view<float>(); }},
      {"nonzero", "where()", [](const Array& y) { nonzero(y); }},
      {"choice", "pass the indices", choose(true)},
      {"choice", "pass the indices", choose(false)},
      {"to_string", "read it outside", [](const Array& y) { return to_string(y); }},
      {"print", "read it outside", [](const Array& y) { std::ostringstream() << y; }},
      {"save_npy", "return it", [&](const Array& y) { save_npy(file, y); }},
      {"NpyWriter", "return it", [&](const Array& y) { NpyWriter(file, float32, {3}).append(y); }},
      {"to_device", "before the call", [&](const Array& y) { return to_device(y, other); }},
  };
  const Array x = ones_here({3});
  for (const auto& [name, instead, read] : readers) {
    SCOPED_TRACE(name);
    const std::string text = message_of<TraceError>([&, &read = read] {
      compile([&](const Array& traced) {
        read(traced + 1);
        return traced;
      })(x);
    });
    EXPECT_THAT(text, HasSubstr(std::string("[") + name + "]"));
    EXPECT_THAT(text, HasSubstr(instead));
  }
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
  const Array weights = asarray({1.0, 0.0, 2.0, 5.0}, {.device = device()});
  for (const bool replace : {true, false}) {
    const auto draw = [&](const Array& x) {
      return take(x, random::choice(random::Key(3), 4, {3}, {.replace = replace, .p = weights}));
    };
    const Array x = asarray({10, 11, 12, 13}, {.device = device()});
    EXPECT_TRUE(test::same_bits(compile(draw)(x), draw(x)));
  }
}

TESSERA_FOR_EACH_DEVICE(TraceErrorsTest);

}  // namespace
}  // namespace tessera
