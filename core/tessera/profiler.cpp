#include <tessera/profiler.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include <fmt/format.h>

#include <tessera/device.hpp>
#include <tessera/profiling.hpp>

namespace tessera {

struct Profiler::Recording {
  std::map<std::tuple<std::string, std::string, std::string>, ProfileRow> rows;
};

namespace {

struct Recordings {
  std::mutex mutex;
  std::vector<std::shared_ptr<Profiler::Recording>> open;
  std::atomic<int> count{0};
};

Recordings& recordings() {
  static Recordings* const all = new Recordings;
  return *all;
}

// Elements that lie apart: a broadcast dimension is read once.
double distinct_bytes(const Array& x) {
  auto bytes = static_cast<double>(itemsize(x.dtype()));
  for (int i = 0; i < x.ndim(); ++i) {
    if (x.strides()[i] != 0 || x.shape()[i] == 0) bytes *= static_cast<double>(x.shape()[i]);
  }
  return bytes;
}

double bytes_of(const Call& call) {
  if (!call.fused_outputs.empty()) {
    double bytes = 0;
    for (const Array& x : call.fused_inputs) bytes += distinct_bytes(x);
    for (const Array& x : call.fused_outputs) bytes += distinct_bytes(x);
    return bytes;
  }
  const double out = distinct_bytes(*call.output);
  switch (call.kernel) {
    case Kernel::take:
    case Kernel::take_along: return 2 * out + distinct_bytes(*call.inputs[1]);
    case Kernel::scatter: {
      const double updates = distinct_bytes(*call.inputs[1]);
      return distinct_bytes(*call.inputs[0]) + updates + 2 * std::min(out, updates);
    }
    default: break;
  }
  double bytes = out;
  for (int i = 0; i < call.input_count; ++i) {
    if (call.inputs[i] != nullptr) bytes += distinct_bytes(*call.inputs[i]);
  }
  return bytes;
}

double flops_of(const Call& call) {
  if (call.kernel == Kernel::matmul_argmin) {
    return 2.0 * static_cast<double>(call.fused_inputs[0].size()) *
           static_cast<double>(call.fused_inputs[1].shape()[0]);
  }
  if (call.kernel != Kernel::matmul) return 0;
  return 2.0 * static_cast<double>(call.output->size()) * static_cast<double>(call.inputs[0]->shape()[2]);
}

/// With the way that it takes, where the device has several: "matmul_argmin in registers".
std::string kernel_of(const Call& call, const DeviceInterface& device) {
  std::string kernel(name(call.kernel));
  if (call.kernel != Kernel::matmul_argmin) return kernel;
  const Array& x = call.fused_inputs[0];
  const std::string_view way =
      device.matmul_argmin_way(call.precision, x.dtype(), x.shape()[1], call.fused_inputs[1].shape()[0]);
  return way.empty() ? kernel : kernel + " " + std::string(way);
}

// TESSERA_PROFILE=1: one recording from the first call to the end of the process.
bool start_whole_run() {
  const char* const variable = std::getenv("TESSERA_PROFILE");
  if (variable == nullptr || std::strcmp(variable, "") == 0 || std::strcmp(variable, "0") == 0) return false;
  static Profiler* const whole = new Profiler;
  std::atexit([] { std::fputs(whole->table().c_str(), stderr); });
  return true;
}

}  // namespace

bool profiling() {
  static const bool whole_run = start_whole_run();
  return whole_run || recordings().count.load(std::memory_order_relaxed) > 0;
}

void profile(const Call& call, DeviceInterface& device, const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  device.synchronize();
  const auto start = Clock::now();
  run();
  device.synchronize();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const std::string kernel = kernel_of(call, device);
  const std::string device_name = call.output->device().name();
  const std::lock_guard lock(recordings().mutex);
  for (const auto& recording : recordings().open) {
    ProfileRow& row = recording->rows[{call.operation, kernel, device_name}];
    if (row.calls == 0) row = {call.operation, kernel, device_name, 0, 0, 0, 0};
    ++row.calls;
    row.seconds += seconds;
    row.bytes += bytes_of(call);
    row.flops += flops_of(call);
  }
}

Profiler::Profiler() : recording_(std::make_shared<Recording>()) {
  const std::lock_guard lock(recordings().mutex);
  recordings().open.push_back(recording_);
  recordings().count.fetch_add(1);
}

Profiler::~Profiler() {
  const std::lock_guard lock(recordings().mutex);
  std::erase(recordings().open, recording_);
  recordings().count.fetch_sub(1);
}

std::vector<ProfileRow> Profiler::rows() const {
  const std::lock_guard lock(recordings().mutex);
  std::vector<ProfileRow> rows;
  for (const auto& [key, row] : recording_->rows) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ProfileRow& a, const ProfileRow& b) { return a.seconds > b.seconds; });
  return rows;
}

std::string Profiler::table() const {
  const std::vector<ProfileRow> all = rows();
  double total = 0;
  for (const ProfileRow& row : all) total += row.seconds;
  std::string text = fmt::format("{:<20} {:<12} {:<12} {:>10} {:>12} {:>7} {:>10} {:>10}\n", "operation",
                                 "kernel", "device", "calls", "seconds", "share", "GB/s", "GFLOP/s");
  for (const ProfileRow& row : all) {
    const double seconds = std::max(row.seconds, 1e-12);
    text += fmt::format("{:<20} {:<12} {:<12} {:>10} {:>12.6f} {:>6.1f}% {:>10.2f} {:>10}\n", row.operation,
                        row.kernel, row.device, row.calls, row.seconds,
                        100 * row.seconds / std::max(total, 1e-12), row.bytes / seconds / 1e9,
                        row.flops > 0 ? fmt::format("{:.1f}", row.flops / seconds / 1e9) : "-");
  }
  return text;
}

}  // namespace tessera
