// Results of NumPy, committed with the script that made them (make_goldens.py).

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include <tessera/device_state.hpp>
#include <tessera/tessera.hpp>
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace tessera::test {

namespace {

using Json = nlohmann::json;
using Arrays = std::vector<Array>;
using Call = std::function<Array(const Arrays&, const Json&)>;

HostArray decode(const Json& encoded) {
  HostArray x(dtype_from_name(encoded["dtype"].get<std::string>()),
              encoded["shape"].get<std::vector<std::int64_t>>());
  const Json& data = encoded["data"];
  if (is_floating(x.dtype)) {
    const auto text = data.get<std::string>();
    for (std::size_t i = 0; i < x.bytes.size(); ++i) {
      x.bytes[i] = static_cast<std::byte>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
    }
    return x;
  }
  visit_dtype(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const std::int64_t size = x.size();
    for (std::int64_t i = 0; i < size; ++i) {
      const Json& value = data[static_cast<std::size_t>(i)];
      if constexpr (std::is_unsigned_v<T>) {
        x.set<T>(i, static_cast<T>(value.get<std::uint64_t>()));
      } else {
        x.set<T>(i, static_cast<T>(value.get<std::int64_t>()));
      }
    }
  });
  return x;
}

int axis_of(const Json& golden) {
  return golden["axis"].get<int>();
}

Side side_of(const Json& golden) {
  return golden["side"].get<std::string>() == "left" ? Side::left : Side::right;
}

/// How each operation is called; a golden's own members are its options.
const std::map<std::string, Call>& calls() {
#define TESSERA_CALL(name, accepts, gives) \
  {#name, [](const Arrays& x, const Json&) { return tessera::name(x[0]); }},
#define TESSERA_CALL_TWO(name, accepts, gives) \
  {#name, [](const Arrays& x, const Json&) { return tessera::name(x[0], x[1]); }},
#define TESSERA_CALL_AXIS(name) \
  {#name, [](const Arrays& x, const Json& g) { return tessera::name(x[0], {.axis = axis_of(g)}); }},
#define TESSERA_CALL_SCATTER(name) \
  {#name,                          \
   [](const Arrays& x, const Json& g) { return tessera::name(x[0], x[1], x[2], {.axis = axis_of(g)}); }},
  static const std::map<std::string, Call> table = {
      // clang-format off
      TESSERA_UNARY_OPS(TESSERA_CALL)
      TESSERA_BINARY_OPS(TESSERA_CALL_TWO)
      TESSERA_CALL_AXIS(sum) TESSERA_CALL_AXIS(prod) TESSERA_CALL_AXIS(min) TESSERA_CALL_AXIS(max)
      TESSERA_CALL_AXIS(any) TESSERA_CALL_AXIS(all) TESSERA_CALL_AXIS(mean) TESSERA_CALL_AXIS(var)
      TESSERA_CALL_AXIS(argmin) TESSERA_CALL_AXIS(argmax)
      TESSERA_CALL_AXIS(cumulative_sum) TESSERA_CALL_AXIS(cumulative_prod)
      TESSERA_CALL_SCATTER(scatter_set) TESSERA_CALL_SCATTER(scatter_add)
      TESSERA_CALL_SCATTER(scatter_min) TESSERA_CALL_SCATTER(scatter_max)
      // clang-format on
      {"astype", [](const Arrays& x,
                    const Json& g) { return astype(x[0], dtype_from_name(g["dtype"].get<std::string>())); }},
      {"where", [](const Arrays& x, const Json&) { return where(x[0], x[1], x[2]); }},
      {"matmul", [](const Arrays& x, const Json&) { return matmul(x[0], x[1]); }},
      {"take", [](const Arrays& x, const Json& g) { return take(x[0], x[1], {.axis = axis_of(g)}); }},
      {"take_along_axis",
       [](const Arrays& x, const Json& g) { return take_along_axis(x[0], x[1], {.axis = axis_of(g)}); }},
      {"sort",
       [](const Arrays& x, const Json& g) {
         return sort(x[0], {.axis = axis_of(g), .descending = g.contains("descending")});
       }},
      {"argsort",
       [](const Arrays& x, const Json& g) {
         return argsort(x[0], {.axis = axis_of(g), .descending = g.contains("descending")});
       }},
      {"searchsorted",
       [](const Arrays& x, const Json& g) { return searchsorted(x[0], x[1], {.side = side_of(g)}); }},
      {"nonzero", [](const Arrays& x, const Json&) { return nonzero(x[0])[0]; }},
  };
#undef TESSERA_CALL
#undef TESSERA_CALL_TWO
#undef TESSERA_CALL_AXIS
#undef TESSERA_CALL_SCATTER
  return table;
}

/// By the kernel, which takes key and counter as they are.
HostArray random_bits(DeviceInterface& device, const Json& golden, const HostArray& like) {
  HostArray words(like.dtype, like.shape);
  void* memory = device.allocate(words.bytes.size());
  device.random_bits(golden["key"].get<std::uint64_t>(), golden["counter"].get<std::uint64_t>(),
                     {.data = memory, .dtype = like.dtype, .shape = like.shape, .strides = {1}});
  device.download(words.bytes.data(), memory, words.bytes.size());
  device.deallocate(memory, words.bytes.size());
  return words;
}

const Json& goldens() {
  static const Json file = Json::parse(std::ifstream(TESSERA_GOLDENS));
  return file;
}

using GoldenTest = DeviceTest;

TEST_P(GoldenTest, GivesWhatNumPyGave) {
  int failed = 0;
  for (const Json& golden : goldens()["cases"]) {
    const auto operation = golden["op"].get<std::string>();
    Arrays inputs;
    for (const Json& input : golden["in"])
      inputs.push_back(upload(decode(goldens()["arrays"][input.get<std::string>()]), device()));
    const HostArray expected = decode(golden["out"]);
    const HostArray actual = operation == "random_bits"
                                 ? random_bits(device().state().device, golden, expected)
                                 : to_host_array(calls().at(operation)(inputs, golden));
    const double relative = golden.value("tolerance", 0.0);
    const auto result = close(actual, expected, {.relative = relative});
    EXPECT_TRUE(result) << operation << (inputs.empty() ? "" : " of ")
                        << (inputs.empty() ? "" : name(inputs[0].dtype()));
    if (!result && ++failed == 10) FAIL() << "and perhaps more: stopped at the tenth";
  }
}

TEST(GoldenCoverage, EveryCallIsMadeAtLeastOnce) {
  std::set<std::string> seen;
  for (const Json& golden : goldens()["cases"]) seen.insert(golden["op"].get<std::string>());
  for (const auto& [operation, call] : calls())
    EXPECT_TRUE(seen.contains(operation)) << "no golden for " << operation;
}

TESSERA_FOR_EACH_DEVICE(GoldenTest);

}  // namespace

}  // namespace tessera::test
