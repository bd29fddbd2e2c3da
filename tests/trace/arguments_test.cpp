// What a compiled function takes and gives: every part of an argument that a function sees tells traces
// apart.

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <tessera/tessera.hpp>

#include "support/devices.hpp"

namespace tessera {
namespace {
/// A class of its own, told apart by ==.
class Schedule {
 public:
  explicit Schedule(int steps) : steps_(steps) {}
  int steps() const { return steps_; }
  friend bool operator==(const Schedule&, const Schedule&) = default;

 private:
  int steps_;
};
}  // namespace

template <>
inline constexpr bool kPlainOption<Schedule> = true;

namespace {

using trace::Accepted;
using trace::accepted_as_any;

class ArgumentsTest : public test::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    before_ = default_device();
    set_default_device(device());
  }
  void TearDown() override {
    set_default_device(before_);
    DeviceTest::TearDown();
  }

  static Array number(double x) { return asarray(x); }
  /// The value of the compiled function's second call, whose arguments differ from the first's.
  template <class F, class... Args>
  static double second(const F& f, const std::tuple<Args...>& first, const std::tuple<Args...>& then) {
    const auto compiled = compile(f);
    std::apply(compiled, first);
    return std::apply(compiled, then).template item<double>();
  }

 private:
  Device before_;
};

TEST_P(ArgumentsTest, ArraysWithinContainersAreArguments) {
  struct Held {
    std::vector<Array> parts;
    std::optional<Array> more;
  };
  const auto of_held = [](const Held& h) { return h.parts[0] + h.parts[1] + *h.more; };
  EXPECT_EQ(second(of_held, std::tuple(Held{{number(1), number(2)}, number(3)}),
                   std::tuple(Held{{number(5), number(6)}, number(7)})),
            18);
  using Map = std::map<std::string, Array>;
  const auto of_map = [](const Map& m) { return m.at("a") - m.at("b"); };
  EXPECT_EQ(second(of_map, std::tuple(Map{{"a", number(1)}, {"b", number(2)}}),
                   std::tuple(Map{{"a", number(9)}, {"b", number(4)}})),
            5);
  using Either = std::variant<double, Array>;
  const auto of_either = [](const Array& x, const Either& e) {
    return e.index() == 0 ? x * std::get<double>(e) : x * std::get<Array>(e);
  };
  EXPECT_EQ(second(of_either, std::tuple(number(2), Either(3.0)), std::tuple(number(2), Either(4.0))), 8);
  EXPECT_EQ(
      second(of_either, std::tuple(number(2), Either(number(3))), std::tuple(number(2), Either(number(5)))),
      10);
}

TEST_P(ArgumentsTest, SpansOfTheirOwnAreAsTheyAreAtTheCall) {
  const auto compiled =
      compile([](std::span<const Array> x, std::span<const double> by) { return x[0] * by[0]; });
  std::vector<Array> x{number(2)};
  std::vector<double> by{3};
  EXPECT_EQ(compiled(std::span(x), std::span<const double>(by)).item<double>(), 6);
  x[0] = number(5);
  EXPECT_EQ(compiled(std::span(x), std::span<const double>(by)).item<double>(), 15);
  by[0] = 4;
  EXPECT_EQ(compiled(std::span(x), std::span<const double>(by)).item<double>(), 20);
  EXPECT_EQ(x[0].item<double>(), 5);
}

TEST_P(ArgumentsTest, TextsAreToldApartWhereverTheyEnd) {
  const auto f = [](const Array& x, const std::string& a, std::string_view b) {
    return x * static_cast<double>(10 * a.size() + b.size());
  };
  const std::string one("a\0b", 3);
  const std::string other("b\0c", 3);
  EXPECT_EQ(second(f, std::tuple(number(1), one, std::string_view("c")),
                   std::tuple(number(1), std::string("a"), std::string_view(other))),
            13);
}

TEST_P(ArgumentsTest, FieldsCountBesideAnySequence) {
  struct Grid {
    std::vector<double> values;
    int width = 0;
    auto begin() const { return values.begin(); }
    auto end() const { return values.end(); }
    auto size() const { return values.size(); }
  };
  const auto f = [](const Array& x, const Grid& grid) { return x * grid.width; };
  EXPECT_EQ(second(f, std::tuple(number(1), Grid{{1}, 1}), std::tuple(number(1), Grid{{1}, 2})), 2);
}

TEST_P(ArgumentsTest, NumbersCountToTheBit) {
  const auto f = [](const Array& x, std::complex<double> z) { return x * std::copysign(1.0, z.real()); };
  EXPECT_EQ(second(f, std::tuple(number(1), std::complex<double>(0.0)),
                   std::tuple(number(1), std::complex<double>(-0.0))),
            -1);
}

TEST_P(ArgumentsTest, OptionsOfTheLibraryAndOfTheProgram) {
  struct Options {
    Axes axis;
    Slice slice;
    Shape shape;
  };
  const auto f = [](const Array& x, const Options& o) {
    return sum(reshape(index(sum(x, {.axis = o.axis}), {o.slice}), o.shape));
  };
  const Array x = reshape(arange(6, {.dtype = float64}), {2, 3});
  const auto with = [&](const Options& o) { return std::tuple(x, o); };
  EXPECT_EQ(second(f, with({0, slice(0, 2), {2}}), with({1, slice(0, 2), {2}})), 15);
  EXPECT_EQ(second(f, with({0, slice(0, 1), {1}}), with({0, slice(1, 2), {1}})), 5);
  const auto by_key = [](const Array& like, random::Key key) {
    return like * static_cast<double>(key.bits() % 7);
  };
  EXPECT_NE(second(by_key, std::tuple(number(1), random::Key(1)), std::tuple(number(1), random::Key(2))),
            second(by_key, std::tuple(number(1), random::Key(2)), std::tuple(number(1), random::Key(1))));
  const auto steps = [](const Array& y, const Schedule& schedule) { return y * schedule.steps(); };
  EXPECT_EQ(second(steps, std::tuple(number(1), Schedule(2)), std::tuple(number(1), Schedule(3))), 3);
}

TEST_P(ArgumentsTest, TheDefaultDeviceIsPartOfTheKey) {
  const auto compiled = compile([] { return zeros({2}); });
  EXPECT_EQ(compiled().device(), device());
  const Device other = tessera::device(device().name() == "reference" ? "cpu" : "reference");
  set_default_device(other);
  EXPECT_EQ(compiled().device(), other);
}

TEST_P(ArgumentsTest, AResultMayLeaveAnArrayOut) {
  struct Result {
    Array first;
    Array second;
    Array third;
  };
  const auto compiled = compile([](const Array& x) { return Result{x + 1, {}, x + 2}; });
  for (int call = 0; call < 2; ++call) {
    const Result result = compiled(number(1));
    EXPECT_EQ(result.first.item<double>(), 2);
    EXPECT_FALSE(result.second.valid());
    EXPECT_EQ(result.third.item<double>(), 3);
  }
}

TESSERA_FOR_EACH_DEVICE(ArgumentsTest);

TEST(Arguments, WhatMayChangeUnseenIsRefused) {
  struct Model {
    explicit Model(int i) : id(i) {}
    bool operator==(const Model& other) const { return id == other.id; }
    int id;
  };
  EXPECT_EQ(accepted_as_any<const Array*>(), Accepted::no_pointer);
  EXPECT_EQ(accepted_as_any<const double*>(), Accepted::no_pointer);
  EXPECT_EQ(accepted_as_any<double[3]>(), Accepted::no_pointer);
  EXPECT_EQ(accepted_as_any<std::shared_ptr<Array>>(), Accepted::no_class);
  EXPECT_EQ(accepted_as_any<std::reference_wrapper<double>>(), Accepted::no_class);
  EXPECT_EQ(accepted_as_any<std::function<void()>>(), Accepted::no_class);
  EXPECT_EQ(accepted_as_any<Model>(), Accepted::no_class);
  EXPECT_EQ(accepted_as_any<std::span<const Array>>(), Accepted::no_span);
  EXPECT_EQ(accepted_as_any<std::span<Array>>(), Accepted::no_span);
  EXPECT_EQ(accepted_as_any<std::initializer_list<Array>>(), Accepted::no_list);
  EXPECT_EQ(accepted_as_any<long double>(), Accepted::no_long_double);
}

}  // namespace
}  // namespace tessera
