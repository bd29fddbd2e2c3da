#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>

namespace tessera::fake {

/// An in-order queue that defers for as long as it can: work runs at the next wait (or when the queue is
/// full), so whatever borrows from a call that has returned is caught for certain, not now and then.
class Queue {
 public:
  /// Adds work under the name of the public operation that runs now.
  void push(std::function<void()> work);
  /// Runs everything; throws the first thing that went wrong since the last wait, once.
  void wait();
  /// Runs everything; what goes wrong is kept for the next wait.
  void finish() noexcept;
  /// Forgets work and errors: the device was lost.
  void drop() noexcept;
  std::size_t pending() const;

 private:
  struct Item {
    std::string operation;
    std::function<void()> work;
  };

  void run_locked() noexcept;

  mutable std::mutex mutex_;
  std::deque<Item> items_;
  std::exception_ptr error_;
};

}  // namespace tessera::fake
