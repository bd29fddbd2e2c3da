#pragma once

// One block of threads at a time. A thread is a fiber from the moment it first waits for another; kernels
// without barriers run as plain calls. Everything here belongs to whoever holds the runtime's lock.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <unordered_map>
#include <vector>

#include <cuda_runtime_api.h>

#include "fiber.hpp"
#include "settings.hpp"

namespace cuda_emulation {

inline constexpr int kWarp = 32;
inline constexpr std::size_t kSharedLimit = std::size_t{48} << 10U;  // without an opt-in by the kernel

/// Memory of a block's own, with a red zone around each array.
class SharedMemory {
 public:
  SharedMemory();
  /// Forgets all arrays, for a block that starts.
  void clear();
  /// The array that belongs to `key`: the same for each thread of the block.
  void* array(const void* key, std::size_t bytes, std::size_t alignment);
  /// Reports red zones that were written to.
  void check() const;

 private:
  struct Array {
    std::size_t begin;
    std::size_t bytes;
  };
  void lay_red_zone(std::size_t begin, std::size_t end);

  std::unique_ptr<std::byte[]> memory_;
  std::size_t used_ = 0;
  std::size_t granted_ = 0;
  std::unordered_map<const void*, Array> arrays_;
  std::vector<std::pair<std::size_t, std::size_t>> red_zones_;
};

/// What lanes of a warp exchange in one collective call.
using Word = std::uint64_t;

class Block {
 public:
  static Block& running() { return *running_; }

  Block();
  /// Runs `body` once for each thread.
  void run(dim3 threads, std::size_t dynamic_shared, const std::function<void()>& body);

  // ---- called by the threads
  void synchronize(const std::source_location& where);
  /// Waits until all lanes of `mask` have come with a word; afterwards `lane_word` gives each one's.
  /// `operation` says what they do: lanes that meet in different operations are an error.
  void exchange(unsigned mask, Word word, const char* operation, const std::source_location& where);
  Word lane_word(int lane) const;
  int lane() const { return current_ % kWarp; }
  SharedMemory& shared() { return shared_; }
  std::size_t dynamic_shared() const { return dynamic_shared_; }

 private:
  enum class State : std::uint8_t { fresh, ready, at_barrier, in_warp, done };
  struct Thread {
    State state = State::fresh;
    std::uint8_t parity = 0;  ///< of the exchange that the thread is in or has just left
    Fiber* fiber = nullptr;
    std::source_location where;
  };
  struct Warp {
    unsigned arrived = 0;
    unsigned mask = 0;
    std::uint8_t parity = 0;
    const char* operation = "";
    // Two sets: a lane may come to the next exchange before others have read this one's words.
    std::array<std::array<Word, kWarp>, 2> words{};
  };

  static void fiber_main(void* argument);
  void enter(int thread);
  bool run_next_fresh();
  void resume(int thread);
  bool sweep();
  void wait(State state, const std::source_location& where);
  void release_barrier();
  void fail(const std::string& text);
  std::string waiting_threads() const;

  static Block* running_;

  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<int> order_;
  Order last_order_ = Order::forward;
  std::size_t next_fresh_ = 0;  ///< position in order_
  int current_ = 0;
  int done_ = 0;
  int at_barrier_ = 0;
  std::source_location barrier_;
  bool failed_ = false;
  dim3 extent_;
  std::size_t dynamic_shared_ = 0;
  const std::function<void()>* body_ = nullptr;
  Fiber* current_fiber_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;  ///< parked in fiber_main, ready for another thread
  SharedMemory shared_;
};

/// `count` numbers in the order that the settings ask for; `salt` makes shuffles differ.
std::vector<int> in_order(int count, std::uint64_t salt);

/// Runs a grid now.
void run_grid(dim3 grid, dim3 block, std::size_t dynamic_shared, const std::function<void()>& body);

// What a kernel reads under the names threadIdx, blockIdx, ...
struct Position {
  uint3 thread;
  uint3 block;
  dim3 threads;
  dim3 blocks;
};
extern Position position;

}  // namespace cuda_emulation
