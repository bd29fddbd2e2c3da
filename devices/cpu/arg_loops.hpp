#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tessera/dtype.hpp>
#include <tessera/kernel_ops.hpp>

namespace tessera::cpu {

/// The loops of argmin or argmax of one dtype. The best so far are values of that dtype.
struct ArgLoops {
  /// The position of the winner among x[0..n), n > 0, and its value to `best`.
  std::int64_t (*row)(const void* x, std::int64_t n, void* best);
  /// best[j] and index[j] for the columns j of `rows` > 0 rows. Indices are int32 for values of up to 4
  /// bytes, else int64: as wide as the values in the vectors of the processor.
  void (*columns)(void* best, void* index, const void* x, std::int64_t stride, std::int64_t rows,
                  std::int64_t width);
  /// Whether the best so far gives way to a later one.
  bool (*gives_way)(const void* best, const void* later);
};

struct ArgLoopTable {
  ArgLoops rows[kArgReduceOpCount][kDTypeCount];
};

/// The best that the processor runs.
const ArgLoops& arg_loops(ArgReduceOp op, DType dtype);

void add_portable_arg_loops(ArgLoopTable& table);
void add_vector_arg_loops(ArgLoopTable& table);

/// The index type of ArgLoops::columns.
template <class T>
using ArgIndex = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

}  // namespace tessera::cpu
