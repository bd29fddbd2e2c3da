#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/device.hpp>

#include "devices/cpu/threads.hpp"

namespace tessera::cpu {

/// An output and up to three inputs.
inline constexpr int kMaxOperands = 4;

/// What the inner loop of an element-wise kernel gets: n > 0 elements that lie side by side, of each
/// operand (the output is operand 0) but those whose bit is set in `scalars`: they are one element.
struct Run {
  std::byte* data[kMaxOperands];
  unsigned scalars;
  std::int64_t n;
};

/// How an inner loop wants its operands.
struct LoopTraits {
  unsigned may_be_scalar = 0;  ///< operands that may be one element in a run, by bit; others are spread
  std::int64_t work = 1;       ///< of an element, in units of an addition's
};

/// Elements that one task takes.
inline constexpr std::int64_t kTaskElements = 32 * 1024;

/// Walks views of one shape, the output first, and calls body(context, run): in tasks whose bounds follow
/// from the shape, with whatever does not lie side by side moved through small buffers.
void walk(std::span<const View* const> views, LoopTraits traits,
          void (*body)(const void* context, const Run&), const void* context);

/// Copies elements as they are.
void walk_copy(const View& x, const View& out);

/// Whether a run can take the view as it is: 0-d, or 1-d without gaps (or repeating, if allowed).
inline bool is_plain(const View& view, bool may_repeat) {
  if (view.shape.empty()) return true;
  if (view.shape.size() > 1) return false;
  return view.strides[0] == 1 || view.shape[0] == 1 || (may_repeat && view.strides[0] == 0);
}

/// Calls f(run) for all elements of the views. Small plain arrays take the short way.
template <class F>
void for_each_run(std::span<const View* const> views, LoopTraits traits, const F& f) {
  const View& out = *views[0];
  const std::int64_t n = out.shape.empty() ? 1 : out.shape[0];
  bool plain = n * traits.work < kSerialWork;
  for (std::size_t i = 0; plain && i < views.size(); ++i) {
    plain = is_plain(*views[i], (traits.may_be_scalar >> i & 1U) != 0);
  }
  if (!plain) {
    walk(
        views, traits, [](const void* context, const Run& run) { (*static_cast<const F*>(context))(run); },
        &f);
    return;
  }
  if (n == 0) return;
  Run run;
  run.n = n;
  run.scalars = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const View& view = *views[i];
    run.data[i] = view.as<std::byte>();
    if (n > 1 && view.strides[0] == 0) run.scalars |= 1U << i;
  }
  f(run);
}

}  // namespace tessera::cpu
