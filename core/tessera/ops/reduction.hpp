#pragma once

#include <initializer_list>
#include <optional>

#include <tessera/array.hpp>

namespace tessera {

/// The axes of a reduction: none named (all), one, or several. Negative ones count from the end.
class Axes {
 public:
  Axes() = default;
  Axes(int axis) : all_(false), axes_{axis} {}  // NOLINT(google-explicit-constructor)
  Axes(std::initializer_list<int> axes) : all_(false) {
    for (const int axis : axes) axes_.push_back(axis);
  }
  bool all() const { return all_; }
  const Dims& axes() const { return axes_; }
  friend bool operator==(const Axes&, const Axes&) = default;

 private:
  bool all_ = true;
  Dims axes_;
};

struct SumOptions {
  Axes axis = {};
  bool keepdims = false;
  /// The dtype of the result and of the accumulation. Where empty: x's for floats, int64 or uint64 for
  /// integers.
  std::optional<DType> dtype = {};
};
struct ReduceOptions {
  Axes axis = {};
  bool keepdims = false;
};
struct VarOptions {
  Axes axis = {};
  double correction = 0;  ///< divides by N - correction
  bool keepdims = false;
};
struct ArgOptions {
  std::optional<int> axis = {};  ///< where empty: the position in the flattened array
  bool keepdims = false;
};
struct CumulativeOptions {
  std::optional<int> axis = {};  ///< may be left out for a 1-d array
  std::optional<DType> dtype = {};
};

// Of nothing: sum 0, prod 1, mean and var NaN, any false, all true; min, max, argmin and argmax throw
// ValueError. Float sums accumulate in blocks or in float64, so long ones do not saturate. NaN anywhere gives
// NaN in min and max; argmin and argmax give the first NaN, and the lowest index on ties.
TESSERA_API Array sum(const Array& x, const SumOptions& options = {});
TESSERA_API Array prod(const Array& x, const SumOptions& options = {});
/// Floating-point only, as in the standard.
TESSERA_API Array mean(const Array& x, const ReduceOptions& options = {});
TESSERA_API Array var(const Array& x, const VarOptions& options = {});
TESSERA_API Array min(const Array& x, const ReduceOptions& options = {});
TESSERA_API Array max(const Array& x, const ReduceOptions& options = {});
/// Nonzero counts as true.
TESSERA_API Array any(const Array& x, const ReduceOptions& options = {});
TESSERA_API Array all(const Array& x, const ReduceOptions& options = {});
/// int64.
TESSERA_API Array argmin(const Array& x, const ArgOptions& options = {});
TESSERA_API Array argmax(const Array& x, const ArgOptions& options = {});
TESSERA_API Array cumulative_sum(const Array& x, const CumulativeOptions& options = {});
TESSERA_API Array cumulative_prod(const Array& x, const CumulativeOptions& options = {});
/// int64: how many elements are nonzero.
TESSERA_API Array count_nonzero(const Array& x, const ReduceOptions& options = {});

}  // namespace tessera
