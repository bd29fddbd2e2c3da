#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/dtype.hpp>
#include <tessera/kernel_ops.hpp>

namespace tessera::cpu {

/// A row is reduced in so many lanes, whatever the width of the processor's vectors: lane j takes the
/// elements j, j + kLanes, ..., then lane j takes lane j + 16, j + 8, ... So bits do not depend on the
/// instruction set.
inline constexpr std::int64_t kLanes = 32;

/// The widest accumulator.
inline constexpr std::size_t kAccumulatorSize = 8;

/// The loops of one reduction of one dtype. Accumulators are float64 for sums and products of floats,
/// 64-bit integers for those of integers, of x's dtype for min and max, and bytes of 0 or 1 for any and all.
struct Reducer {
  std::size_t size;  ///< bytes of an accumulator
  bool by_lanes;     ///< `row` takes all of a row by lanes: sums, products, any, all
  /// n accumulators of nothing.
  void (*start)(void* accumulators, std::int64_t n);
  /// accumulators[j] takes x[r * stride + j] for each r in order.
  void (*columns)(void* accumulators, const void* x, std::int64_t stride, std::int64_t rows,
                  std::int64_t width);
  /// One accumulator takes x[0..n), n >= 0.
  void (*row)(void* accumulator, const void* x, std::int64_t n);
  /// accumulators[r] takes x[r * length + i] as `row` does: short rows side by side, few steps of each. Null
  /// where there is no such loop.
  void (*rows)(void* accumulators, const void* x, std::int64_t length, std::int64_t rows);
  /// accumulators[j] takes x[j * length + i] for each i in order: rows of a fixed length side by side. False
  /// where there is no such loop for the length.
  bool (*tuples)(void* accumulators, const void* x, std::int64_t length, std::int64_t n);
  /// accumulators[j] takes others[j].
  void (*merge)(void* accumulators, const void* others, std::int64_t n);
  /// out[j * stride] of `dtype`, one that the operation gives for x's.
  void (*finish)(const void* accumulators, void* out, DType dtype, std::int64_t stride, std::int64_t n);
};

struct ReducerTable {
  Reducer rows[kReduceOpCount][kDTypeCount];
};

/// The best that the processor runs.
const Reducer& reducer(ReduceOp op, DType dtype);

void add_portable_reducers(ReducerTable& table);
void add_vector_reducers(ReducerTable& table);

}  // namespace tessera::cpu
