#include <algorithm>
#include <chrono>
#include <functional>

#include "machine.hpp"
#include "question.hpp"

// Each operation beside a copy or a product of the same run, over sizes; and what a call on 4 elements costs.

namespace tessera::bench {
namespace {

struct Operation {
  std::string name;
  double bytes_per_element;
  std::function<Array()> call;
};

Row head(const Setting& setting, const std::string& operation, std::int64_t elements) {
  Row out = {{"question", "ops"},
             {"device", setting.device.name()},
             {"mode", mode(setting)},
             {"schedule", "eager call"},
             {"n", elements},
             {"operation", operation},
             {"machine", machine(setting.device)}};
  return out;
}

void bandwidth(const Setting& setting, std::int64_t elements, Report& report) {
  const Device& device = setting.device;
  const std::int64_t columns = std::min<std::int64_t>(elements, 1000);
  const Shape shape{elements / columns, columns};
  const random::Key key(setting.source.seed);
  const Array a = random::uniform(key.fold_in(0), shape, {.device = device});
  const Array b = random::uniform(key.fold_in(1), shape, {.device = device});
  const Array condition = a < b;
  const std::vector<Operation> operations = {
      {"copy", 8, [&] { return copy(a); }},
      {"add", 12, [&] { return a + b; }},
      {"multiply", 12, [&] { return a * b; }},
      {"sqrt", 8, [&] { return sqrt(a); }},
      {"exp", 8, [&] { return exp(a); }},
      {"less", 9, [&] { return a < b; }},
      {"where", 13, [&] { return where(condition, a, b); }},
      {"astype float64", 12, [&] { return astype(a, float64); }},
      {"transpose copy", 8, [&] { return copy(matrix_transpose(a)); }},
      {"sum", 4, [&] { return sum(a); }},
      {"sum rows", 4, [&] { return sum(a, {.axis = 1}); }},
      {"sum columns", 4, [&] { return sum(a, {.axis = 0}); }},
      {"min", 4, [&] { return min(a); }},
      {"min rows", 4, [&] { return min(a, {.axis = 1}); }},
      {"argmin rows", 4, [&] { return argmin(a, {.axis = 1}); }},
      {"cumulative_sum rows", 8, [&] { return cumulative_sum(a, {.axis = 1}); }},
  };
  double copy_rate = 0;
  for (const Operation& operation : operations) {
    Row out = head(setting, operation.name, a.size());
    if (report.has(out)) continue;
    const Measured measured = measure(device, setting.repeat, [&] { operation.call(); });
    const double rate =
        operation.bytes_per_element * static_cast<double>(a.size()) / measured.seconds.median / 1e9;
    if (operation.name == "copy") copy_rate = rate;
    put(out, measured);
    out["gigabytes_per_second"] = rate;
    if (copy_rate > 0) out["share_of_copy"] = rate / copy_rate;
    report.add(out);
  }
}

void products(const Setting& setting, std::int64_t most_elements, Report& report) {
  const random::Key key(setting.source.seed);
  for (const std::int64_t extent : {64, 256, 1024, 2048}) {
    if (extent > 64 && extent * extent > most_elements) break;
    const Array a = random::normal(key.fold_in(0), {extent, extent}, {.device = setting.device});
    const Array b = random::normal(key.fold_in(1), {extent, extent}, {.device = setting.device});
    Row out = head(setting, "matmul square", extent);
    if (report.has(out)) continue;
    const double side = static_cast<double>(extent);
    put(out, measure(setting.device, std::max(setting.repeat, 5), [&] { matmul(a, b); }),
        2 * side * side * side);
    report.add(out);
  }
}

// Many calls on a few elements: what an operation costs before it does anything.
void overhead(const Setting& setting, Report& report) {
  const Array a = asarray({1.0F, 2.0F, 3.0F, 4.0F}, {setting.device});
  const Array b = asarray({4.0F, 3.0F, 2.0F, 1.0F}, {setting.device});
  const std::vector<Operation> operations = {{"add of 4", 0, [&] { return add(a, b); }},
                                             {"sum of 4", 0, [&] { return sum(a); }},
                                             {"argmin of 4", 0, [&] { return argmin(a); }}};
  constexpr int kCalls = 20000;
  for (const Operation& operation : operations) {
    Row out = head(setting, operation.name, 4);
    if (report.has(out)) continue;
    const Measured measured = measure(setting.device, std::max(setting.repeat, 5), [&] {
      for (int i = 0; i < kCalls; ++i) operation.call();
    });
    out["nanoseconds"] = measured.seconds.median / kCalls * 1e9;
    out["seconds"] = {{"median", measured.seconds.median / kCalls},
                      {"min", measured.seconds.min / kCalls},
                      {"max", measured.seconds.max / kCalls}};
    report.add(out);
  }
}

}  // namespace

void ops(const Setting& setting, Report& report) {
  if (setting.compiled) {
    Row out = head(setting, "all", 0);
    put_unsupported(out);
    if (!report.has(out)) report.add(out);
    return;
  }
  overhead(setting, report);
  const std::int64_t most = std::max<std::int64_t>(setting.size.samples * setting.size.features, 1000);
  products(setting, most, report);
  for (std::int64_t elements = 1000; elements <= most && elements <= 100'000'000; elements *= 10) {
    bandwidth(setting, elements, report);
  }
}

}  // namespace tessera::bench
