#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/dtype.hpp>
#include <tessera/kernel_ops.hpp>

namespace tessera::cpu {

// Inner loops of the element-wise kernels: n > 0 elements of contiguous operands. `out` may be exactly one
// of the inputs.

using UnaryLoop = void (*)(const void* x, void* out, std::int64_t n);
using BinaryLoop = void (*)(const void* a, const void* b, void* out, std::int64_t n);
using WhereLoop = void (*)(const void* condition, const void* a, const void* b, void* out, std::int64_t n);

/// A binary loop, and the same where one operand is a single element. Those may be null: then the single
/// element is spread into a buffer first.
struct BinaryLoops {
  BinaryLoop both = nullptr;
  BinaryLoop left_scalar = nullptr;
  BinaryLoop right_scalar = nullptr;
};

/// By which of a and b are single elements.
struct WhereLoops {
  WhereLoop both = nullptr;
  WhereLoop left_scalar = nullptr;
  WhereLoop right_scalar = nullptr;
  WhereLoop scalars = nullptr;
};

/// Null where the operation does not take the dtypes.
struct LoopTables {
  UnaryLoop unary[kUnaryOpCount][kDTypeCount];
  BinaryLoops binary[kBinaryOpCount][kDTypeCount];
  UnaryLoop cast[kDTypeCount][kDTypeCount];
  WhereLoops where[4];  ///< by the logarithm of the itemsize
};

/// The best loops that the processor runs.
const LoopTables& loops();

inline UnaryLoop unary_loop(UnaryOp op, DType dtype) {
  return loops().unary[static_cast<int>(op)][static_cast<int>(dtype)];
}
inline const BinaryLoops& binary_loops(BinaryOp op, DType dtype) {
  return loops().binary[static_cast<int>(op)][static_cast<int>(dtype)];
}
inline UnaryLoop cast_loop(DType from, DType to) {
  return loops().cast[static_cast<int>(from)][static_cast<int>(to)];
}
inline const WhereLoops& where_loops(DType dtype) {
  return loops().where[__builtin_ctzll(itemsize(dtype))];
}

// What the tables are made of: portable loops for everything, then, over them, vector loops for the dtypes
// and operations that big arrays need, compiled for each instruction set.
void add_portable_unary_loops(LoopTables& tables);
void add_portable_binary_loops(LoopTables& tables);
void add_portable_cast_loops(LoopTables& tables);
void add_vector_unary_loops(LoopTables& tables);
void add_vector_binary_loops(LoopTables& tables);
void add_vector_cast_loops(LoopTables& tables);

}  // namespace tessera::cpu
