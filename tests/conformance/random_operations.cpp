#include "conformance/operation_case.hpp"

#include <fmt/format.h>

namespace tessera::test {

std::vector<OperationCase> random_operations() {
  std::vector<OperationCase> cases;
  const auto add = [&](const char* operation, const std::string& label,
                       std::function<Arrays(const Arrays&, const Device&)> call,
                       Tolerance tolerance = kExact) {
    cases.push_back({.operation = operation,
                     .name = label,
                     .inputs = {},
                     .call = std::move(call),
                     .tolerance = tolerance});
  };
  for (const std::uint64_t seed : {0U, 12345U}) {
    const random::Key key(seed);
    const std::string label = fmt::format("seed {}", seed);
    for (const DType dtype : {uint32, uint64}) {
      add("bits", label, [=](const Arrays&, const Device& device) -> Arrays {
        return {random::bits(key, {3, 7}, {.dtype = dtype, .device = device}),
                random::bits(key.fold_in(5), {10007}, {.dtype = dtype, .device = device})};
      });
    }
    for (const DType dtype : {float32, float64}) {
      add("uniform", label, [=](const Arrays&, const Device& device) -> Arrays {
        return {random::uniform(key, {1003}, {.dtype = dtype, .device = device}),
                random::uniform(key, {5, 7}, {.low = -3, .high = 8, .dtype = dtype, .device = device})};
      });
      add("normal", label,
          [=](const Arrays&, const Device& device) -> Arrays {
            return {random::normal(key, {1003}, {.dtype = dtype, .device = device}),
                    random::normal(key, {5, 7}, {.mean = 2, .stddev = 3, .dtype = dtype, .device = device})};
          },
          {dtype == float32 ? 1e-5 : 1e-13, dtype == float32 ? 1e-5 : 1e-13});
    }
    add("randint", label, [=](const Arrays&, const Device& device) -> Arrays {
      return {random::randint(key, 0, 10, {1003}, {.device = device}),
              random::randint(key, -5, 1000000007, {5, 7}, {.device = device}),
              random::randint(key, 3, 100, {64}, {.dtype = int32, .device = device})};
    });
    add("permutation", label, [=](const Arrays&, const Device& device) -> Arrays {
      return {random::permutation(key, 1000, {.device = device}),
              random::permutation(key, 1, {.device = device}),
              random::permutation(key, 0, {.device = device})};
    });
    add("choice", label, [=](const Arrays&, const Device& device) -> Arrays {
      const Array weights = asarray<double>({1, 0, 3, 2, 0}, {.device = device});
      return {random::choice(key, 50, {20}, {.device = device}),
              random::choice(key, 50, {20}, {.replace = false, .device = device}),
              random::choice(key, 5, {200}, {.p = weights, .device = device}),
              random::choice(key, 5, {3}, {.replace = false, .p = weights, .device = device})};
    });
  }
  return cases;
}

}  // namespace tessera::test
