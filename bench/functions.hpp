#pragma once

#include <functional>
#include <optional>
#include <string>

#include <kmeans/assign.hpp>

#include "question.hpp"

// The portable functions that the questions time, eager or compiled. Of the tiled ones
// the function of a tile is compiled, and the loops stay outside.

namespace tessera::bench {

using kmeans::Assignment;

struct Functions {
  std::function<Assignment(const Array& x, const Array& centers)> gram = kmeans::assign_gram;
  kmeans::GramTile gram_tile = kmeans::gram_tile;
  kmeans::RunningTiles running_tiles;
  std::function<Array(const Array& x)> expression;  ///< sqrt(x*x + 1)*0.5 + x - 0.25*x*x + 3
  // Empty in eager mode:
  std::function<double()> compile_seconds;  ///< what compiling took so far
  std::function<std::string()> explain;     ///< what the functions that were called were made into
};

/// The functions in the mode that is set; compiled anew at each call.
Functions functions(const Setting& setting);

/// Measures and puts seconds, peak, and what compiling took meanwhile, which comes with the first call.
/// Prints what was compiled where that is asked for.
void measure_into(Row& row, const Setting& setting, const Timing& timing, const Functions& f, double flops,
                  const std::function<void()>& call);

}  // namespace tessera::bench
