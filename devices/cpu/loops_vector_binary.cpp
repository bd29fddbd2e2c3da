// Binary loops and choices for each instruction set. The bodies are the elements' own definitions: inside
// the target's namespace the compiler turns them into its vector code.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/loops_vector_binary.cpp"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle): compiled once a target

#include <hwy/highway.h>

#include "devices/common/element_ops.hpp"
#include "devices/cpu/loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

/// Bools are bytes to the vectoriser.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <BinaryOp op, class T>
struct Binary {
  using Out = Stored<element::BinaryResult<op, T>>;

  static void both(const void* a, const void* b, void* out, std::int64_t n) {
    const T* left = static_cast<const T*>(a);
    const T* right = static_cast<const T*>(b);
    Out* to = static_cast<Out*>(out);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) to[i] = element::binary<op>(left[i], right[i]);
  }
  static void left_scalar(const void* a, const void* b, void* out, std::int64_t n) {
    const T left = *static_cast<const T*>(a);
    const T* right = static_cast<const T*>(b);
    Out* to = static_cast<Out*>(out);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) to[i] = element::binary<op>(left, right[i]);
  }
  static void right_scalar(const void* a, const void* b, void* out, std::int64_t n) {
    const T* left = static_cast<const T*>(a);
    const T right = *static_cast<const T*>(b);
    Out* to = static_cast<Out*>(out);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) to[i] = element::binary<op>(left[i], right);
  }
};

template <class T>
void add_loops(LoopTables& tables) {
  const auto add = [&]<BinaryOp op>() {
    tables.binary[static_cast<int>(op)][static_cast<int>(dtype_of<T>())] = {
        Binary<op, T>::both, Binary<op, T>::left_scalar, Binary<op, T>::right_scalar};
  };
  add.template operator()<BinaryOp::add>();
  add.template operator()<BinaryOp::subtract>();
  add.template operator()<BinaryOp::multiply>();
  if constexpr (std::is_floating_point_v<T>) add.template operator()<BinaryOp::divide>();
  add.template operator()<BinaryOp::minimum>();
  add.template operator()<BinaryOp::maximum>();
  add.template operator()<BinaryOp::equal>();
  add.template operator()<BinaryOp::not_equal>();
  add.template operator()<BinaryOp::less>();
  add.template operator()<BinaryOp::less_equal>();
  add.template operator()<BinaryOp::greater>();
  add.template operator()<BinaryOp::greater_equal>();
}

void add_all(LoopTables& tables) {
  add_loops<float>(tables);
  add_loops<double>(tables);
  add_loops<std::int32_t>(tables);
  add_loops<std::int64_t>(tables);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(add_all);

void add_vector_binary_loops(LoopTables& tables) {
  HWY_DYNAMIC_DISPATCH(add_all)(tables);
}

}  // namespace tessera::cpu
#endif
