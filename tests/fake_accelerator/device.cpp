#include "device.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tessera/error.hpp>
#include <tessera/layout.hpp>

namespace tessera::fake {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMemoryBytes = std::int64_t{4} << 30;
constexpr std::int64_t kCacheBytes = std::int64_t{256} << 10;

/// The moment at which the queue came to it.
struct FakeEvent final : Event {
  std::shared_ptr<Clock::time_point> time = std::make_shared<Clock::time_point>();
};

Clock::time_point time_of(const Event& event) {
  const auto* fake = dynamic_cast<const FakeEvent*>(&event);
  if (fake == nullptr) throw DeviceError("[elapsed] the event is another device's");
  return *fake->time;
}

/// A view as the queue keeps it: its memory where the queue can reach it, or the value of a number that
/// lived on the host for the time of the call.
class QueuedView {
 public:
  QueuedView(const View& view, const DeviceMemory& memory) : view_(view) {
    if (view.host_scalar) {
      std::memcpy(value_.data(), view.data, itemsize(view.dtype));
    } else if (view.size() > 0) {
      const Extent elements = extent({view.shape, view.strides, 0});
      const auto bytes = static_cast<std::int64_t>(itemsize(view.dtype));
      view_.data = memory.translate(view.data, elements.begin * bytes, elements.end * bytes);
    }
  }
  View get() const {
    View view = view_;
    if (view.host_scalar) view.data = const_cast<std::byte*>(value_.data());
    return view;
  }

 private:
  View view_;
  alignas(8) std::array<std::byte, 8> value_{};
};

QueuedView keep(const View& view, const DeviceMemory& memory) {
  return {view, memory};
}
template <class T>
T keep(const T& argument, const DeviceMemory& /*memory*/) {
  return argument;
}
View give(const QueuedView& view) {
  return view.get();
}
template <class T>
const T& give(const T& argument) {
  return argument;
}

}  // namespace

FakeDevice::FakeDevice(int index, std::unique_ptr<DeviceInterface> kernels, Faults& faults)
    : index_(index),
      kernels_(std::move(kernels)),
      kernels_pool_(*kernels_, "fake"),
      faults_(faults),
      memory_(static_cast<std::size_t>(kMemoryBytes)) {
  kernels_->attach(kernels_pool_);
}

DeviceProperties FakeDevice::properties() const {
  DeviceProperties properties;
  properties.description =
      "fake accelerator " + std::to_string(index_) + ": the reference device behind a queue";
  properties.host_memory = false;
  properties.asynchronous = true;
  properties.memory_bytes = kMemoryBytes;
  properties.cache_bytes = kCacheBytes;
  return properties;
}

void FakeDevice::require_present() const {
  if (!faults_.lost) return;
  throw DeviceError(std::string("[") + current_operation() + "] fake accelerator " + std::to_string(index_) +
                    " was lost; its arrays are gone, and a new process is needed to use it again");
}

// ---- memory

void* FakeDevice::allocate(std::size_t bytes) {
  require_present();
  return faults_.allocation_fails() ? nullptr : memory_.allocate(bytes);
}

void FakeDevice::deallocate(void* data, std::size_t /*bytes*/) noexcept {
  // What is in the queue may still use it.
  if (faults_.lost) {
    queue_.drop();
  } else {
    queue_.finish();
  }
  memory_.deallocate(data);
}

void FakeDevice::upload(void* target, const void* source, std::size_t bytes) {
  require_present();
  const auto* first = static_cast<const std::byte*>(source);
  std::byte* to = memory_.translate(target, 0, static_cast<std::int64_t>(bytes));
  queue_.push([to, staged = std::vector<std::byte>(first, first + bytes)] {
    std::memcpy(to, staged.data(), staged.size());
  });
}

void FakeDevice::download(void* target, const void* source, std::size_t bytes) {
  require_present();
  const std::byte* from = memory_.translate(source, 0, static_cast<std::int64_t>(bytes));
  queue_.push([target, from, bytes] { std::memcpy(target, from, bytes); });
  queue_.wait();
}

void FakeDevice::synchronize() {
  require_present();
  queue_.wait();
}

// ---- time

std::shared_ptr<Event> FakeDevice::record() {
  require_present();
  auto event = std::make_shared<FakeEvent>();
  queue_.push([time = event->time] { *time = Clock::now(); });
  return event;
}

double FakeDevice::elapsed(const Event& start, const Event& stop) {
  require_present();
  queue_.wait();
  return std::chrono::duration<double>(time_of(stop) - time_of(start)).count();
}

// ---- kernels

template <class... Parameters, class... Arguments>
void FakeDevice::enqueue(void (DeviceInterface::*kernel)(Parameters...), const Arguments&... arguments) {
  require_present();
  if (faults_.operation_fails()) {
    queue_.push([operation = std::string(current_operation())] {
      throw DeviceError("[" + operation + "] the fake accelerator failed, as it was told to");
    });
    return;
  }
  queue_.push([device = kernels_.get(), kernel, kept = std::make_tuple(keep(arguments, memory_)...)] {
    std::apply([&](const auto&... argument) { (device->*kernel)(give(argument)...); }, kept);
  });
}

void FakeDevice::copy(const View& x, const View& out) {
  enqueue(&DeviceInterface::copy, x, out);
}
void FakeDevice::fill(Scalar value, const View& out) {
  enqueue(&DeviceInterface::fill, value, out);
}
void FakeDevice::iota(Scalar start, Scalar step, const View& out) {
  enqueue(&DeviceInterface::iota, start, step, out);
}
void FakeDevice::unary(UnaryOp op, const View& x, const View& out) {
  enqueue(&DeviceInterface::unary, op, x, out);
}
void FakeDevice::binary(BinaryOp op, const View& a, const View& b, const View& out) {
  enqueue(&DeviceInterface::binary, op, a, b, out);
}
void FakeDevice::where(const View& condition, const View& a, const View& b, const View& out) {
  enqueue(&DeviceInterface::where, condition, a, b, out);
}
void FakeDevice::reduce(ReduceOp op, const View& x, const View& out) {
  enqueue(&DeviceInterface::reduce, op, x, out);
}
void FakeDevice::arg_reduce(ArgReduceOp op, const View& x, const View& out) {
  enqueue(&DeviceInterface::arg_reduce, op, x, out);
}
void FakeDevice::scan(ScanOp op, const View& x, const View& out) {
  enqueue(&DeviceInterface::scan, op, x, out);
}
void FakeDevice::sort(bool descending, bool indices, const View& x, const View& out) {
  enqueue(&DeviceInterface::sort, descending, indices, x, out);
}
void FakeDevice::matmul(Precision precision, const View& x, const View& y, const View& out) {
  enqueue(&DeviceInterface::matmul, precision, x, y, out);
}
void FakeDevice::take(const View& x, const View& indices, const View& out) {
  enqueue(&DeviceInterface::take, x, indices, out);
}
void FakeDevice::take_along(const View& x, const View& indices, const View& out) {
  enqueue(&DeviceInterface::take_along, x, indices, out);
}
void FakeDevice::scatter(ScatterOp op, const View& indices, const View& updates, const View& target) {
  enqueue(&DeviceInterface::scatter, op, indices, updates, target);
}
void FakeDevice::searchsorted(bool right, const View& sorted, const View& values, const View& out) {
  enqueue(&DeviceInterface::searchsorted, right, sorted, values, out);
}
void FakeDevice::nonzero(const View& x, const View& out) {
  enqueue(&DeviceInterface::nonzero, x, out);
}
void FakeDevice::random_bits(std::uint64_t key, std::uint64_t counter, const View& out) {
  enqueue(&DeviceInterface::random_bits, key, counter, out);
}

}  // namespace tessera::fake
