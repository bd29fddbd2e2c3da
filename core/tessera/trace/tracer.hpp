#pragma once

// Internal to core. A trace: while it is active on a thread, arrays are made without bytes and kernel calls
// are kept instead of run.

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/trace/graph.hpp>

namespace tessera {
class Buffer;
}

namespace tessera::trace {

class Trace : public std::enable_shared_from_this<Trace> {
 public:
  /// An argument of the traced function: of that array's shape, strides, dtype and device.
  Array argument(const Array& like);
  /// For make_array.
  Buffer* make_buffer(DeviceState& device, DType dtype, std::size_t bytes);
  void record(const Call& call);
  /// Ends the trace with these results, and gives the graph.
  Graph finish(std::span<const Array> results);
  /// After finish, or after an error: its arrays are of no use any more, nor is what it kept for them.
  void close();
  bool open() const { return open_; }

 private:
  Access operand(const Array& x);

  Graph graph_;
  std::unordered_map<const Buffer*, int> constants_;
  bool open_ = true;
};

/// What a buffer without bytes stands for.
struct Traced {
  std::shared_ptr<Trace> trace;
  int value;  ///< the newest version
};

/// The calling thread's trace; null where it runs eagerly.
Trace* active();

/// Makes a trace the thread's own for a scope.
class Activate {
 public:
  explicit Activate(Trace& trace);
  Activate(const Activate&) = delete;
  Activate& operator=(const Activate&) = delete;
  ~Activate();

 private:
  Trace* before_;
};

/// Runs eagerly for a scope.
class Pause {
 public:
  Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
  ~Pause();

 private:
  Trace* before_;
};

/// What to do where a value is read that is not there.
inline constexpr const char* kReadOutside =
    "return it and read it outside, choose with where() instead of an if, or pass what is known before as a "
    "plain option";

/// Throws TraceError where x has no bytes to read.
void require_values(const char* operation, const Array& x, const char* instead = kReadOutside);
[[noreturn]] void refuse_value(const char* operation, const Traced& traced,
                               const char* instead = kReadOutside);

}  // namespace tessera::trace
