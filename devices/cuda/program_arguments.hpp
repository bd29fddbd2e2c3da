#pragma once

#include <cstdint>

namespace tessera::cuda {

struct ProgramView {
  void* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// Those that a kernel takes: all are less than the 32764 bytes that its arguments may have.
inline constexpr int kMostProgramViews = 1280;
inline constexpr int kMostProgramConstants = 128;

/// The one argument of a program's kernel.
template <int count>
struct ProgramArgumentsOf {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t lanes;  ///< threads a row, where there are reductions
  /// The first ones, by their bits; others are in the source, of which each then has one of its own.
  std::uint64_t constants[kMostProgramConstants];
  ProgramView views[count];  ///< inputs, then outputs
};

/// What the host gives. A kernel's own begin as these do, and have as many views as the program.
using ProgramArguments = ProgramArgumentsOf<kMostProgramViews>;

}  // namespace tessera::cuda
