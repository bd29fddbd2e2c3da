// Thousands of functions drawn at random: compiled gives the bits of plain. RapidCheck shrinks what it finds.

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <tessera/tessera.hpp>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "trace/random_graph.hpp"

namespace rc {

template <>
struct Arbitrary<tessera::test::Instruction> {
  static Gen<tessera::test::Instruction> arbitrary() {
    const auto number = gen::inRange<std::uint32_t>(0, 1U << 16);
    return gen::build<tessera::test::Instruction>(gen::set(&tessera::test::Instruction::operation, number),
                                                  gen::set(&tessera::test::Instruction::a, number),
                                                  gen::set(&tessera::test::Instruction::b, number),
                                                  gen::set(&tessera::test::Instruction::c, number));
  }
};

}  // namespace rc

namespace tessera::test {
namespace {

/// Where two arrays first differ but for the bits of NaN; empty where they do not.
std::optional<std::string> first_difference(const Array& actual, const Array& expected) {
  if (!(actual.shape() == expected.shape()) || actual.dtype() != expected.dtype()) return "shape or dtype";
  const HostArray a = to_host_array(actual);
  const HostArray e = to_host_array(expected);
  for (std::int64_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(a.element(i), e.element(i), itemsize(a.dtype)) == 0) continue;
    const bool both_nan = is_floating(a.dtype) && visit_dtype(a.dtype, [&]<class T>(T) {
                            return a.at<T>(i) != a.at<T>(i) && e.at<T>(i) != e.at<T>(i);
                          });
    if (!both_nan)
      return "element " + std::to_string(i) + " of " + to_string(a.shape) + " " + std::string(name(a.dtype));
  }
  return std::nullopt;
}

class RandomGraphTest : public DeviceTest {
 protected:
  void check(int cases, std::int64_t rows, std::int64_t columns, std::size_t most) const {
    rc::detail::TestParams parameters = rc::detail::configuration().testParams;
    if (std::getenv("RC_PARAMS") == nullptr) parameters.seed = 20261129;
    parameters.maxSuccess = cases;
    parameters.maxSize = static_cast<int>(most);
    rc::detail::TestMetadata metadata;
    metadata.id = "random_graph";
    const auto property = [&] {
      const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1U << 20);
      const auto graph = *rc::gen::arbitrary<std::vector<Instruction>>();
      const std::vector<Array> arguments = graph_arguments(seed, rows, columns, device());
      const auto function = [&](const std::vector<Array>& x) { return run_graph(x, graph); };
      const std::vector<Array> expected = function(arguments);
      const auto compiled = compile(function);
      const std::vector<Array> actual = compiled(arguments);
      RC_ASSERT(actual.size() == expected.size());
      for (std::size_t i = 0; i < actual.size(); ++i) {
        const auto difference = first_difference(actual[i], expected[i]);
        if (difference)
          RC_FAIL("result " + std::to_string(i) + ": " + *difference + "\n" + compiled.explain());
      }
    };
    const auto result = rc::detail::checkTestable(property, metadata, parameters);
    std::ostringstream message;
    if (!result.template is<rc::detail::SuccessResult>()) {
      rc::detail::printResultMessage(result, message);
      FAIL() << message.str();
    }
  }
};

TEST_P(RandomGraphTest, GivesTheBitsOfThePlainFunction) {
  const bool fast = device().name() == "cpu";
  check(fast ? 2000 : 300, 7, 5, 40);
  check(fast ? 1000 : 100, 33, 1, 40);
  check(fast ? 1000 : 100, 1, 40, 40);
  check(fast ? 300 : 30, 70, 37, 60);
}

TEST_P(RandomGraphTest, OverSeveralBlocksOfAKernel) {
  const bool fast = device().name() == "cpu";
  check(fast ? 25 : 5, 5000, 17, 30);
  check(fast ? 25 : 5, 2, 70000, 30);
}

TESSERA_FOR_EACH_DEVICE(RandomGraphTest);

}  // namespace
}  // namespace tessera::test
