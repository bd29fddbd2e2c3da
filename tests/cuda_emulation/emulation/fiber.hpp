#pragma once

// A stack of its own that runs until it switches back: one thread of a block that waits for others.

#include <cstddef>

#include <boost/context/detail/fcontext.hpp>

namespace cuda_emulation {

class Fiber {
 public:
  using Function = void (*)(void* argument);

  Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Whoever calls `switch_to` stays there until the fiber calls `switch_back`. `function` must never
  /// return: it switches back for good.
  void start(Function function, void* argument);
  void switch_to();
  void switch_back();

 private:
  static void entry(boost::context::detail::transfer_t transfer);
  void before_switch(void** fake_stack, const void* bottom, std::size_t bytes);
  void after_switch(void* fake_stack, const void** bottom, std::size_t* bytes);

  std::byte* mapping_;
  boost::context::detail::fcontext_t here_{};    ///< where the fiber stands
  boost::context::detail::fcontext_t caller_{};  ///< where to switch back to
  Function function_ = nullptr;
  void* argument_ = nullptr;
  // For address sanitizer, which is told of every change of stack.
  const void* caller_bottom_ = nullptr;
  std::size_t caller_bytes_ = 0;
  void* caller_fake_stack_ = nullptr;
  void* own_fake_stack_ = nullptr;
};

}  // namespace cuda_emulation
