#include "queue.hpp"

#include <utility>

#include <tessera/device.hpp>
#include <tessera/error.hpp>

namespace tessera::fake {
namespace {

constexpr std::size_t kDepth = 4096;

/// The message under the name of the operation that queued the work: when it runs, another one waits.
std::string renamed(const std::string& message, const std::string& operation) {
  const std::size_t end = message.starts_with('[') ? message.find(']') : std::string::npos;
  return end == std::string::npos ? message : "[" + operation + message.substr(end);
}

}  // namespace

void Queue::push(std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  if (items_.size() >= kDepth) run_locked();
  items_.push_back({current_operation(), std::move(work)});
}

void Queue::wait() {
  std::exception_ptr error;
  {
    const std::scoped_lock lock(mutex_);
    run_locked();
    error = std::exchange(error_, nullptr);
  }
  if (error) std::rethrow_exception(error);
}

void Queue::finish() noexcept {
  const std::scoped_lock lock(mutex_);
  run_locked();
}

void Queue::drop() noexcept {
  const std::scoped_lock lock(mutex_);
  items_.clear();
  error_ = nullptr;
}

std::size_t Queue::pending() const {
  const std::scoped_lock lock(mutex_);
  return items_.size();
}

void Queue::run_locked() noexcept {
  for (const Item& item : items_) {
    try {
      item.work();
    } catch (const IndexError& error) {
      if (!error_) error_ = std::make_exception_ptr(IndexError(renamed(error.what(), item.operation)));
    } catch (...) {
      if (!error_) error_ = std::current_exception();
    }
  }
  items_.clear();
}

}  // namespace tessera::fake
