#include "trace/random_graph.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <ostream>

#include <tessera/tessera.hpp>

#include "support/arrays.hpp"

namespace tessera::test {
namespace {

/// Larger arrays than that are not made.
constexpr std::int64_t kMostElements = 1 << 18;

class Runner {
 public:
  explicit Runner(const std::vector<Array>& arguments) : arrays_(arguments) {}

  void run(const Instruction& instruction) {
    try {
      Array result = apply(instruction);
      if (result.size() <= kMostElements && result.ndim() <= 4) arrays_.push_back(std::move(result));
    } catch (const ShapeError&) {  // shapes, dtypes and axes that do not fit: the same in both modes
    } catch (const DTypeError&) {
    } catch (const IndexError&) {
    } catch (const ValueError&) {
    }
  }
  const std::vector<Array>& arrays() const { return arrays_; }

 private:
  /// The newest ones come more often.
  const Array& pick(std::uint32_t number) const {
    const std::size_t count = arrays_.size();
    if (number % 3 != 0 && count > 6) return arrays_[count - 1 - number / 3 % 6];
    return arrays_[number / 3 % count];
  }

  static int axis(const Array& x, std::uint32_t number) {
    return x.ndim() == 0 ? 0 : static_cast<int>(number % static_cast<std::uint32_t>(x.ndim()));
  }

  static Array floating(const Array& x) { return is_floating(x.dtype()) ? x : astype(x, float32); }
  static Array numeric(const Array& x) { return is_numeric(x.dtype()) ? x : astype(x, int32); }

  Array apply(const Instruction& i) const {
    switch (i.operation % 8) {
      case 0: return unary(i);
      case 1:
      case 2:
      case 3: return binary(i);
      case 4:
      case 5: return reduction(i);
      case 6: return view(i);
      default: return other(i);
    }
  }

  Array unary(const Instruction& i) const {
    const Array& x = pick(i.a);
    switch (i.b % 10) {
      case 0: return square(numeric(x));
      case 1: return abs(numeric(x));
      case 2: return sqrt(floating(x));
      case 3: return exp(floating(x));
      case 4: return -numeric(x);
      case 5: return astype(x, kAllDTypes[i.c % kAllDTypes.size()]);
      case 6: return isfinite(numeric(x));
      case 7: return round(numeric(x));
      case 8: return copy(x);
      default: return clip(numeric(x), {.min = 0});
    }
  }

  Array binary(const Instruction& i) const {
    Array x = numeric(pick(i.a));
    Array y = numeric(pick(i.b));
    if (i.c % 4 == 0) {
      const Operand number = is_floating(x.dtype()) ? Operand(0.5 + i.b % 3) : Operand(1 + i.b % 3);
      return i.b % 2 == 0 ? pair(i.c / 4, x, number) : pair(i.c / 4, number, x);
    }
    if (!can_promote(x.dtype(), y.dtype())) {
      x = astype(x, float64);
      y = astype(y, float64);
    }
    return pair(i.c / 4, x, y);
  }

  Array pair(std::uint32_t which, const Operand& x, const Operand& y) const {
    switch (which % 9) {
      case 0:
      case 1: return add(x, y);
      case 2:
      case 3: return subtract(x, y);
      case 4: return multiply(x, y);
      case 5: return maximum(x, y);
      case 6: return where(less(x, y), x, y);
      case 7: return where(less_equal(x, y), y, 1);
      default: return astype(not_equal(x, y), float32);
    }
  }

  Array reduction(const Instruction& i) const {
    const Array x = numeric(pick(i.a));
    if (x.ndim() == 0 || x.size() == 0) return x;
    const bool keep = i.c % 2 == 0;
    const Axes axes = i.c % 7 == 0 ? Axes{} : Axes{i.c % 3 == 0 ? axis(x, i.c / 7) : x.ndim() - 1};
    const int one = i.c % 3 == 0 ? axis(x, i.c / 7) : x.ndim() - 1;
    switch (i.b % 9) {
      case 0:
      case 1: return sum(x, {.axis = axes, .keepdims = keep});
      case 2: return min(x, {.axis = axes, .keepdims = keep});
      case 3: return max(x, {.axis = axes, .keepdims = keep});
      case 4: return mean(floating(x), {.axis = axes, .keepdims = keep});
      case 5: return argmin(x, {.axis = one, .keepdims = keep});
      case 6: return argmax(x, {.axis = one, .keepdims = keep});
      case 7: return var(floating(x), {.axis = axes, .keepdims = keep});
      default:
        return i.b % 2 == 0 ? any(x > 1, {.axis = axes, .keepdims = keep}) : count_nonzero(x, {.axis = axes});
    }
  }

  Array view(const Instruction& i) const {
    const Array& x = pick(i.a);
    if (x.ndim() == 0) return expand_dims(x, 0);
    const int at = axis(x, i.c);
    switch (i.b % 7) {
      case 0: return expand_dims(x, at);
      case 1: return x.ndim() >= 2 ? matrix_transpose(x) : x;
      case 2: return flip(x, at);
      case 3: return reshape(x, {-1});
      case 4: return i.c % 2 == 0 ? index(x, {slice(1, {})}) : copy(index(x, {slice(1, {})}));
      case 5: return index(x, {slice({}, {}, 2)});
      default: return broadcast_to(x, pick(i.c).shape());
    }
  }

  Array other(const Instruction& i) const {
    const Array& x = pick(i.a);
    const Array& y = pick(i.b);
    const bool by_index = i.c % 10 == 3 || i.c % 10 == 7;
    if (by_index && (x.ndim() == 0 || x.size() == 0)) return x;  // values of indices are checked when it runs
    switch (i.c % 10) {
      case 0: {
        const Array a = astype(x, float32);
        const Array b = astype(y, float32);
        return matmul(a, b.ndim() >= 2 ? matrix_transpose(b) : b);
      }
      case 1: return concat({x, x});
      case 2: return stack({x, x}, {.axis = axis(x, i.b)});
      case 3: return scatter_add(astype(x, float64), asarray({0, 0}, {.device = x.device()}), 2);
      case 4: return cumulative_sum(numeric(x), {.axis = axis(x, i.b)});
      case 5: return sort(x, {.axis = axis(x, i.b)});
      case 6: return full_like(x, i.b % 2);
      case 7: return take(x, asarray({0, -1, 0}, {.device = x.device()}), {.axis = axis(x, i.b)});
      case 8: return zeros(x.shape(), {.dtype = float32, .device = x.device()});
      default: {  // the nearest of some rows
        const Array a = astype(x, float32);
        const Array b = astype(y, float32);
        const Array scores = sum(b * b, {.axis = 1}) - 2 * matmul(a, matrix_transpose(b));
        return i.b % 2 == 0 ? argmin(scores, {.axis = 1}) : argmax(-scores, {.axis = 1});
      }
    }
  }

  std::vector<Array> arrays_;
};

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Instruction& i) {
  return stream << "{" << i.operation << ", " << i.a << ", " << i.b << ", " << i.c << "}";
}

std::vector<Array> graph_arguments(std::uint64_t seed, std::int64_t rows, std::int64_t columns,
                                   const Device& device) {
  const std::array<Shape, 6> shapes = {Shape{rows, columns}, Shape{rows, columns}, Shape{rows},
                                       Shape{columns},       Shape{rows, 1},       Shape{}};
  constexpr std::array kDTypes = {float32, float32, float64, int32, uint8, bool_};
  Numbers numbers(seed);
  std::vector<Array> arguments;
  for (const Shape& shape : shapes) {
    const DType dtype = arguments.empty() ? float32 : kDTypes[numbers.next() % kDTypes.size()];
    const LayoutKind kind =
        numbers.next() % 2 == 0 ? LayoutKind::contiguous : kAllLayouts[numbers.next() % kAllLayouts.size()];
    arguments.push_back(
        place(suited(make_values(dtype, shape, Values::plain, numbers.next()), kind), kind, device));
  }
  return arguments;
}

std::vector<Array> run_graph(const std::vector<Array>& arguments, const std::vector<Instruction>& graph) {
  Runner runner(arguments);
  for (const Instruction& instruction : graph) runner.run(instruction);
  std::vector<Array> results;
  const std::vector<Array>& all = runner.arrays();
  for (std::size_t i = arguments.size(); i < all.size(); ++i) {
    if (i + 2 >= all.size() || i % 5 == 0) results.push_back(all[i]);
  }
  return results;
}

}  // namespace tessera::test
