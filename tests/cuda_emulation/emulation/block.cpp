#include "block.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "sanitizer.hpp"
#include "settings.hpp"

namespace cuda_emulation {
namespace {

constexpr std::size_t kRedZone = 64;
constexpr std::byte kCanary{0xc5};

std::string describe(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

/// splitmix64.
std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace

Position position{};
Block* Block::running_ = nullptr;

std::vector<int> in_order(int count, std::uint64_t salt) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (settings().order == Order::reversed) std::reverse(order.begin(), order.end());
  if (settings().order == Order::shuffled) {
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[scramble(salt + i) % i]);
    }
  }
  return order;
}

// ---- shared memory

SharedMemory::SharedMemory() : memory_(new std::byte[2 * kSharedLimit]) {}

void SharedMemory::clear() {
  if (used_ == 0) return;
  unpoison(memory_.get(), 2 * kSharedLimit);
  arrays_.clear();
  red_zones_.clear();
  used_ = granted_ = 0;
}

void SharedMemory::lay_red_zone(std::size_t begin, std::size_t end) {
  std::fill(memory_.get() + begin, memory_.get() + end, kCanary);
  poison(memory_.get() + begin, end - begin);
  red_zones_.emplace_back(begin, end);
}

void* SharedMemory::array(const void* key, std::size_t bytes, std::size_t alignment) {
  if (const auto known = arrays_.find(key); known != arrays_.end()) {
    return memory_.get() + known->second.begin;
  }
  granted_ += bytes;
  const auto base = reinterpret_cast<std::uintptr_t>(memory_.get());
  const std::size_t begin = (base + used_ + kRedZone + alignment - 1) / alignment * alignment - base;
  const std::size_t end = begin + bytes;
  if (granted_ > kSharedLimit || end + kRedZone > 2 * kSharedLimit) {
    violation("a block takes " + std::to_string(granted_) + " bytes of shared memory, of " +
              std::to_string(kSharedLimit));
    std::abort();  // there is none to give
  }
  lay_red_zone(used_, begin);
  std::memset(memory_.get() + begin, settings().fill, bytes);
  lay_red_zone(end, end + kRedZone);
  used_ = end + kRedZone;
  arrays_.emplace(key, Array{begin, bytes});
  return memory_.get() + begin;
}

void SharedMemory::check() const {
  if (kAddressSanitizer) return;  // it has said so already
  for (const auto& [begin, end] : red_zones_) {
    const bool whole = std::all_of(memory_.get() + begin, memory_.get() + end,
                                   [](std::byte value) { return value == kCanary; });
    if (!whole) {
      violation("a thread wrote outside of an array in shared memory");
      return;
    }
  }
}

// ---- threads

Block::Block() = default;

void Block::run(dim3 threads, std::size_t dynamic_shared, const std::function<void()>& body) {
  extent_ = threads;
  const int count = static_cast<int>(threads.x * threads.y * threads.z);
  threads_.assign(static_cast<std::size_t>(count), Thread{});
  warps_.assign(static_cast<std::size_t>((count + kWarp - 1) / kWarp), Warp{});
  if (settings().order == Order::shuffled || settings().order != last_order_ ||
      static_cast<int>(order_.size()) != count) {
    order_ = in_order(count, position.block.x + 7919U * position.block.y);
    last_order_ = settings().order;
  }
  next_fresh_ = 0;
  done_ = at_barrier_ = 0;
  failed_ = false;
  dynamic_shared_ = dynamic_shared;
  body_ = &body;
  shared_.clear();
  running_ = this;
  while (done_ < count && !failed_) {
    if (!sweep()) {
      fail("threads wait for others that never come (a barrier or a warp's exchange reached by only some): " +
           waiting_threads());
    }
  }
  if (failed_) {
    fibers_.clear();
    idle_.clear();
  } else {
    shared_.check();
  }
  running_ = nullptr;
}

/// Resumes, in order, each thread that can go on. False if none could.
bool Block::sweep() {
  bool any = false;
  for (const int thread : order_) {
    const State state = threads_[static_cast<std::size_t>(thread)].state;
    if (state != State::fresh && state != State::ready) continue;
    any = true;
    resume(thread);
    if (failed_) return true;
  }
  return any;
}

void Block::enter(int thread) {
  current_ = thread;
  const auto linear = static_cast<unsigned>(thread);
  position.thread = {linear % extent_.x, linear / extent_.x % extent_.y, linear / (extent_.x * extent_.y)};
}

void Block::resume(int thread) {
  Thread& state = threads_[static_cast<std::size_t>(thread)];
  if (state.fiber == nullptr) {
    // A fresh one: the fiber runs it, and further fresh ones as long as they never wait.
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>());
      fibers_.back()->start(fiber_main, this);
      idle_.push_back(fibers_.back().get());
    }
    current_fiber_ = idle_.back();
    idle_.pop_back();
  } else {
    current_fiber_ = state.fiber;
    state.state = State::ready;
    enter(thread);
  }
  current_fiber_->switch_to();
}

/// The next thread in order that has not begun, on the fiber of the caller.
bool Block::run_next_fresh() {
  while (next_fresh_ < order_.size()) {
    const int thread = order_[next_fresh_++];
    Thread& state = threads_[static_cast<std::size_t>(thread)];
    if (state.state != State::fresh) continue;
    state.state = State::ready;
    state.fiber = current_fiber_;
    enter(thread);
    (*body_)();
    // `current_` is this thread again, however often others ran in between.
    threads_[static_cast<std::size_t>(thread)].state = State::done;
    ++done_;
    return true;
  }
  return false;
}

void Block::fiber_main(void* argument) {
  auto& block = *static_cast<Block*>(argument);
  for (;;) {
    while (block.run_next_fresh()) {
    }
    block.idle_.push_back(block.current_fiber_);
    block.current_fiber_->switch_back();
  }
}

void Block::wait(State state, const std::source_location& where) {
  Thread& thread = threads_[static_cast<std::size_t>(current_)];
  thread.state = state;
  thread.where = where;
  current_fiber_->switch_back();
}

void Block::synchronize(const std::source_location& where) {
  if (at_barrier_ == 0) barrier_ = where;
  if (barrier_.line() != where.line() || std::strcmp(barrier_.file_name(), where.file_name()) != 0) {
    fail("threads of a block wait at different barriers: " + describe(barrier_) + " and " + describe(where));
    current_fiber_->switch_back();
  }
  ++at_barrier_;
  if (at_barrier_ == static_cast<int>(threads_.size())) {
    release_barrier();
    return;
  }
  wait(State::at_barrier, where);
}

void Block::release_barrier() {
  at_barrier_ = 0;
  for (Thread& thread : threads_) {
    if (thread.state == State::at_barrier) thread.state = State::ready;
  }
}

void Block::exchange(unsigned mask, Word word, const char* operation, const std::source_location& where) {
  const int lane_index = lane();
  const int first = current_ - lane_index;
  Warp& warp = warps_[static_cast<std::size_t>(current_ / kWarp)];
  const unsigned bit = 1U << static_cast<unsigned>(lane_index);
  const bool differs = warp.arrived != 0 && (warp.mask != mask || warp.operation != operation);
  if (differs || (mask & bit) == 0) {
    fail(std::string("lanes of a warp meet in different exchanges, or outside of the mask: ") + operation +
         " at " + describe(where));
    current_fiber_->switch_back();
  }
  if (warp.arrived == 0) {
    warp.mask = mask;
    warp.operation = operation;
    warp.parity ^= 1U;
  }
  warp.words[warp.parity][static_cast<std::size_t>(lane_index)] = word;
  threads_[static_cast<std::size_t>(current_)].parity = warp.parity;
  warp.arrived |= bit;
  if (warp.arrived != mask) {
    wait(State::in_warp, where);
    return;
  }
  warp.arrived = 0;
  for (int other = 0; other < kWarp && first + other < static_cast<int>(threads_.size()); ++other) {
    Thread& thread = threads_[static_cast<std::size_t>(first + other)];
    if (((mask >> static_cast<unsigned>(other)) & 1U) != 0 && thread.state == State::in_warp) {
      thread.state = State::ready;
    }
  }
}

Word Block::lane_word(int lane_index) const {
  const std::uint8_t parity = threads_[static_cast<std::size_t>(current_)].parity;
  return warps_[static_cast<std::size_t>(current_ / kWarp)]
      .words[parity][static_cast<std::size_t>(lane_index)];
}

/// Reports, and abandons the block: its threads never go on.
void Block::fail(const std::string& text) {
  violation(text + " (block " + std::to_string(position.block.x) + ", thread " + std::to_string(current_) +
            ")");
  failed_ = true;
}

std::string Block::waiting_threads() const {
  std::string text;
  int listed = 0;
  for (std::size_t i = 0; i < threads_.size() && listed < 4; ++i) {
    if (threads_[i].state != State::at_barrier && threads_[i].state != State::in_warp) continue;
    text +=
        (listed++ == 0 ? "thread " : ", thread ") + std::to_string(i) + " at " + describe(threads_[i].where);
  }
  return text;
}

// ---- grids

void run_grid(dim3 grid, dim3 block, std::size_t dynamic_shared, const std::function<void()>& body) {
  static Block runner;
  const auto blocks = static_cast<std::uint64_t>(grid.x) * grid.y * grid.z;
  constexpr std::uint64_t kMany = 1U << 20U;
  position.threads = block;
  position.blocks = grid;
  const auto run = [&](std::uint64_t i) {
    position.block = {static_cast<unsigned>(i % grid.x), static_cast<unsigned>(i / grid.x % grid.y),
                      static_cast<unsigned>(i / grid.x / grid.y)};
    runner.run(block, dynamic_shared, body);
  };
  if (blocks > kMany) {
    for (std::uint64_t i = 0; i < blocks; ++i) run(i);
    return;
  }
  for (const int i : in_order(static_cast<int>(blocks), blocks)) run(static_cast<std::uint64_t>(i));
}

}  // namespace cuda_emulation
