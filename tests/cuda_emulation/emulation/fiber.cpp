#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "sanitizer.hpp"

namespace cuda_emulation {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kStackBytes = (kAddressSanitizer ? 64 : 16) * kPage;

}  // namespace

Fiber::Fiber() {
  void* const mapping = mmap(nullptr, kPage + kStackBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  mprotect(mapping_, kPage, PROT_NONE);  // an overflow faults
}

Fiber::~Fiber() {
  unpoison(mapping_ + kPage, kStackBytes);
  munmap(mapping_, kPage + kStackBytes);
}

void Fiber::start(Function function, void* argument) {
  function_ = function;
  argument_ = argument;
  own_fake_stack_ = nullptr;
  unpoison(mapping_ + kPage, kStackBytes);  // of a thread that was abandoned
  here_ = boost::context::detail::make_fcontext(mapping_ + kPage + kStackBytes, kStackBytes, entry);
}

void Fiber::switch_to() {
  before_switch(&caller_fake_stack_, mapping_ + kPage, kStackBytes);
  here_ = boost::context::detail::jump_fcontext(here_, this).fctx;
  after_switch(caller_fake_stack_, nullptr, nullptr);
}

void Fiber::switch_back() {
  before_switch(&own_fake_stack_, caller_bottom_, caller_bytes_);
  caller_ = boost::context::detail::jump_fcontext(caller_, this).fctx;
  after_switch(own_fake_stack_, &caller_bottom_, &caller_bytes_);
}

void Fiber::entry(boost::context::detail::transfer_t transfer) {
  auto& self = *static_cast<Fiber*>(transfer.data);
  self.after_switch(nullptr, &self.caller_bottom_, &self.caller_bytes_);
  self.caller_ = transfer.fctx;
  self.function_(self.argument_);
  std::abort();
}

#if defined(__SANITIZE_ADDRESS__)
void Fiber::before_switch(void** fake_stack, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
}
void Fiber::after_switch(void* fake_stack, const void** bottom, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(fake_stack, bottom, bytes);
}
#else
void Fiber::before_switch(void** /*fake_stack*/, const void* /*bottom*/, std::size_t /*bytes*/) {}
void Fiber::after_switch(void* /*fake_stack*/, const void** /*bottom*/, std::size_t* /*bytes*/) {}
#endif

}  // namespace cuda_emulation
