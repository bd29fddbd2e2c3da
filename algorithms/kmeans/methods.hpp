#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::kmeans {

/// The schedule of the assignment (assign.hpp). `running_inside` merges in the tile function.
enum class AssignMethod : std::uint8_t { gram_tiled, gram, running, running_inside };
/// The schedule of the update (update.hpp).
enum class UpdateMethod : std::uint8_t { scatter, one_hot, tiled_mean };
/// Where initial centers come from (init.hpp).
enum class InitMethod : std::uint8_t { kmeans_plusplus, random };
/// Why a fit ended: the labels repeated; the centers moved less than `tol` asks; `max_iter` was reached; the
/// callback said so.
enum class Stopped : std::uint8_t { labels, tol, max_iter, interrupted };

/// "gram_tiled", ..., "scatter", ..., "kmeans++", ..., "labels", ...
std::string_view name(AssignMethod method);
std::string_view name(UpdateMethod method);
std::string_view name(InitMethod method);
std::string_view name(Stopped stopped);

/// Throw ValueError for an unknown name, listing those there are.
AssignMethod assign_method(std::string_view name);
UpdateMethod update_method(std::string_view name);
InitMethod init_method(std::string_view name);

}  // namespace tessera::kmeans
