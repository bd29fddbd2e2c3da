#pragma once

#include <cstdint>

namespace tessera::cuda {

struct ProgramView {
  void* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

inline constexpr int kMostProgramViews = 48;
inline constexpr int kMostProgramConstants = 128;

/// The one argument of a program's kernel.
struct ProgramArguments {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t lanes;                    ///< threads a row, where there are reductions
  ProgramView views[kMostProgramViews];  ///< inputs, then outputs
  /// The first ones, by their bits; others are in the source, of which each then has one of its own.
  std::uint64_t constants[kMostProgramConstants];
};

}  // namespace tessera::cuda
