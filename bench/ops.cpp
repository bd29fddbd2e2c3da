#include <algorithm>
#include <chrono>
#include <functional>

#include <tessera/device.hpp>

#include "functions.hpp"
#include "machine.hpp"
#include "peaks.hpp"

// Each operation beside what the machine does in the same run, over sizes: a copy, a read, multiply-adds. And
// what a call on 4 elements costs.

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
             {"schedule", setting.compiled ? "compiled call" : "eager call"},
             {"n", elements},
             {"operation", operation},
             {"machine", machine(setting.device)}};
  return out;
}

Row machine_row(const Setting& setting, const std::string& operation, std::int64_t elements) {
  Row out = head(setting, operation, elements);
  out["schedule"] = "machine";
  return out;
}

void put_rate(Row& out, double bytes_per_second) {
  out["gigabytes_per_second"] = bytes_per_second / 1e9;
}

// The machine's copy and read at a size; the copy that operations are compared with is the faster of that and
// the device's own.
Peaks bandwidth_peaks(const Setting& setting, const Array& a, Report& report) {
  Peaks peaks = measure_peaks(setting.device, a.size());
  const std::pair<const char*, double> rates[] = {{"machine copy", peaks.copy}, {"machine read", peaks.read}};
  for (const auto& [name, rate] : rates) {
    Row out = machine_row(setting, name, a.size());
    if (report.has(out)) continue;
    put_rate(out, rate);
    report.add(out);
  }
  const Measured own = measure(setting.device, {setting.timing.repeat, false, false}, [&] { copy(a); });
  peaks.copy = std::max(peaks.copy, 8 * static_cast<double>(a.size()) / own.seconds.median);
  return peaks;
}

void bandwidth(const Setting& setting, std::int64_t elements, Report& report) {
  const Device& device = setting.device;
  const std::int64_t columns = std::min<std::int64_t>(elements, 1000);
  const Shape shape{elements / columns, columns};
  Array a;
  Array b;
  Array condition;
  const Functions f = functions(setting);
  const std::vector<Operation> eager = {
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
  const Operation expression = {"expression", 8, [&] { return f.expression(a); }};
  std::vector<Operation> operations;
  if (!setting.compiled) operations = eager;
  operations.push_back(expression);
  const std::int64_t size = shape[0] * shape[1];
  if (std::ranges::all_of(operations, [&](const Operation& operation) {
        return report.has(head(setting, operation.name, size));
      })) {
    return;
  }
  const random::Key key(setting.source.seed);
  a = random::uniform(key.fold_in(0), shape, {.device = device});
  b = random::uniform(key.fold_in(1), shape, {.device = device});
  condition = a < b;

  std::optional<Peaks> peaks;
  for (const Operation& operation : operations) {
    Row out = head(setting, operation.name, a.size());
    if (report.has(out)) continue;
    if (!setting.timing.paced && !peaks) peaks = bandwidth_peaks(setting, a, report);
    measure_into(out, setting, setting.timing, f, 0, [&] { operation.call(); });
    if (out["seconds"]["median"] == 0.0) continue;  // paced, and not asked for
    const double rate =
        operation.bytes_per_element * static_cast<double>(a.size()) / out["seconds"]["median"].get<double>();
    put_rate(out, rate);
    if (peaks) {
      out["share_of_copy"] = rate / peaks->copy;
      if (operation.bytes_per_element == 4) out["share_of_read"] = rate / peaks->read;
    }
    report.add(out);
  }
}

void products(const Setting& setting, std::int64_t most_elements, Report& report) {
  const random::Key key(setting.source.seed);
  std::optional<double> peak;
  for (const std::int64_t extent : {64, 256, 1024, 2048}) {
    if (extent > 64 && extent * extent > most_elements) break;
    Row out = head(setting, "matmul square", extent);
    if (report.has(out)) continue;
    const Array a = random::normal(key.fold_in(0), {extent, extent}, {.device = setting.device});
    const Array b = random::normal(key.fold_in(1), {extent, extent}, {.device = setting.device});
    if (!peak) peak = multiply_add_rate(num_threads());
    const double side = static_cast<double>(extent);
    Timing timing = setting.timing;
    timing.repeat = std::max(timing.repeat, 5);
    put(out, measure(setting.device, timing, [&] { matmul(a, b); }), 2 * side * side * side);
    if (setting.device.properties().host_memory) {
      out["share_of_peak"] = out["gflops"].get<double>() * 1e9 / *peak;
    }
    report.add(out);
  }
}

// Multiply-adds of one thread and of all: what a second thread is worth on this machine.
void arithmetic(const Setting& setting, Report& report) {
  std::vector<int> counts = {1};
  if (num_threads() > 1) counts.push_back(num_threads());
  for (const int threads : counts) {
    Row out = machine_row(setting, "machine multiply-add", threads);
    if (report.has(out)) continue;
    out["gflops"] = multiply_add_rate(threads) / 1e9;
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
    Timing timing = setting.timing;
    timing.repeat = std::max(timing.repeat, 5);
    const Measured measured = measure(setting.device, timing, [&] {
      for (int i = 0; i < kCalls; ++i) operation.call();
    });
    out["calls"] = kCalls;
    out["nanoseconds"] = measured.seconds.median / kCalls * 1e9;
    out["seconds"] = {{"median", measured.seconds.median / kCalls},
                      {"min", measured.seconds.min / kCalls},
                      {"max", measured.seconds.max / kCalls}};
    report.add(out);
  }
}

}  // namespace

void ops(const Setting& setting, Report& report) {
  const std::int64_t most =
      std::clamp<std::int64_t>(setting.size.samples * setting.size.features, 1000, 100'000'000);
  require_memory("ops", 16 * most + 2 * 4 * most, setting.device);
  if (!setting.compiled) {
    overhead(setting, report);
    arithmetic(setting, report);
    products(setting, most, report);
  }
  if (setting.timing.paced) return bandwidth(setting, most, report);
  std::vector<std::int64_t> sizes;
  for (std::int64_t elements = 1000; elements <= most; elements *= 10) sizes.push_back(elements);
  // The largest first: it is the one that is asked for.
  for (auto elements = sizes.rbegin(); elements != sizes.rend(); ++elements)
    bandwidth(setting, *elements, report);
}

}  // namespace tessera::bench
