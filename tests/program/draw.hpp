#pragma once

// Programs drawn at random, with inputs of many layouts.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <tessera/tessera.hpp>

#include "program/builder.hpp"
#include "support/arrays.hpp"

namespace tessera::test {

inline constexpr DType kDrawnDTypes[] = {float32, float32, float32, float64, int32,
                                         int64,   bool_,   uint8,   int16};

template <class T>
bool is_nan_at(const HostArray& x, std::int64_t i) {
  return std::isnan(x.at<T>(i));
}

/// But for the bits of NaN.
inline ::testing::AssertionResult same_but_for_nan(const Array& actual, const Array& expected) {
  const HostArray a = to_host_array(actual);
  const HostArray e = to_host_array(expected);
  const std::size_t item = itemsize(a.dtype);
  for (std::int64_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(a.element(i), e.element(i), item) == 0) continue;
    if (a.dtype == float32 && is_nan_at<float>(a, i) && is_nan_at<float>(e, i)) continue;
    if (a.dtype == float64 && is_nan_at<double>(a, i) && is_nan_at<double>(e, i)) continue;
    return ::testing::AssertionFailure() << "element " << i << " of " << a.size() << " " << name(a.dtype);
  }
  return ::testing::AssertionSuccess();
}

/// Writes a random program and makes its inputs.
class Draw {
 public:
  Draw(std::uint64_t seed, std::int64_t rows, std::int64_t columns, Device device)
      : numbers_(seed), rows_(rows), columns_(columns), device_(std::move(device)), builder_(rows, columns) {
    for (int i = 0; i < 3; ++i) load();
    const std::int64_t steps = numbers_.between(2, 18);
    for (std::int64_t i = 0; i < steps; ++i) step();
  }

  Program program() {
    std::vector<std::int32_t> chosen;
    const auto count = static_cast<std::int64_t>(values_.size());
    for (std::int64_t i = numbers_.between(1, 4); i > 0; --i) chosen.push_back(any().reg);
    chosen.push_back(values_[static_cast<std::size_t>(count - 1)].reg);
    return builder_.giving(chosen);
  }
  const std::vector<Array>& inputs() const { return inputs_; }
  Array output(std::int32_t reg) {
    const bool row = builder_.step(reg).row;
    return empty({rows_, row ? 1 : columns_}, {.dtype = builder_.step(reg).dtype, .device = device_});
  }

 private:
  struct Value {
    std::int32_t reg;
    DType dtype;
    bool row;
    bool reduced;
  };

  const Value& any() { return values_[static_cast<std::size_t>(numbers_.between(0, size() - 1))]; }
  std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }

  /// A value that may meet `other`: the same dtype (or a cast to it), and no second pass.
  Value partner(const Value& other) {
    Value value = any();
    for (int tries = 0; tries < 20 && !may_meet(value, other); ++tries) value = any();
    if (!may_meet(value, other)) value = other;
    return cast(value, other.dtype);
  }
  static bool may_meet(const Value& a, const Value& b) {
    return (a.row && b.row) || (!a.reduced && !b.reduced);
  }
  Value cast(const Value& value, DType dtype) {
    if (value.dtype == dtype) return value;
    return add(builder_.cast(value.reg, dtype), value.reduced);
  }
  Value add(std::int32_t reg, bool reduced) {
    values_.push_back({reg, builder_.step(reg).dtype, builder_.step(reg).row, reduced});
    return values_.back();
  }

  void load() {
    const DType dtype = kDrawnDTypes[numbers_.between(0, std::size(kDrawnDTypes) - 1)];
    const bool row = numbers_.between(0, 4) == 0;
    const Values kind = numbers_.between(0, 3) == 0 ? Values::special : Values::plain;
    Shape shape{rows_, row ? 1 : columns_};
    const std::int64_t spread = numbers_.between(0, 6);
    if (spread == 0) shape[0] = 1;
    if (spread == 1) shape[1] = 1;
    const LayoutKind layout =
        kAllLayouts[static_cast<std::size_t>(numbers_.between(0, kAllLayouts.size() - 1))];
    const HostArray values = suited(make_values(dtype, shape, kind, numbers_.next()), layout);
    const Array x = place(values, layout, device_);
    inputs_.push_back(broadcast_to(x, {rows_, row ? 1 : columns_}));
    add(builder_.load(static_cast<std::int32_t>(inputs_.size()) - 1, dtype, row), false);
  }

  void step() {
    const Value x = any();
    switch (numbers_.between(0, 9)) {
      case 0: {
        const double value = static_cast<double>(numbers_.between(-3, 3));
        add(builder_.constant(value, x.dtype, x.row && numbers_.between(0, 1) == 0), false);
        return;
      }
      case 1: unary(x); return;
      case 2: {
        if (x.dtype == bool_) return;
        const Value y = partner(x);
        const Value z = partner(x);
        if (!may_meet(y, z)) return;
        const auto condition = builder_.binary(BinaryOp::less, x.reg, y.reg);
        const Value chosen = add(condition, x.reduced || y.reduced);
        if (may_meet(chosen, z)) {
          add(builder_.where(chosen.reg, z.reg, x.reg), chosen.reduced || z.reduced);
        }
        return;
      }
      case 3: cast(x, kDrawnDTypes[numbers_.between(0, std::size(kDrawnDTypes) - 1)]); return;
      case 4:
      case 5: reduce(x); return;
      default: binary(x, partner(x));
    }
  }

  void unary(const Value& x) {
    const auto op = static_cast<UnaryOp>(numbers_.between(0, kUnaryOpCount - 1));
    if (accepted(accepts(op), x.dtype)) add(builder_.unary(op, x.reg), x.reduced);
  }
  void binary(const Value& x, const Value& y) {
    const auto op = static_cast<BinaryOp>(numbers_.between(0, kBinaryOpCount - 1));
    if (accepted(accepts(op), x.dtype)) add(builder_.binary(op, x.reg, y.reg), x.reduced || y.reduced);
  }
  void reduce(const Value& x) {
    if (x.row) return;
    const std::int64_t op = numbers_.between(0, 6);
    if (op < 2) {
      const bool wide = x.dtype == float32 && numbers_.between(0, 1) == 0;
      add(builder_.reduce(op == 0 ? ReduceOp::sum : ReduceOp::prod, x.reg,
                          wide ? float64 : accumulation_dtype(x.dtype)),
          true);
    } else if (x.dtype == bool_) {
      add(builder_.reduce(op < 4 ? ReduceOp::any : ReduceOp::all, x.reg, bool_), true);
    } else if (op < 5) {
      add(builder_.reduce(op < 4 ? ReduceOp::min : ReduceOp::max, x.reg, x.dtype), true);
    } else {
      add(builder_.arg_reduce(op == 5 ? ArgReduceOp::argmin : ArgReduceOp::argmax, x.reg), true);
    }
  }

  Numbers numbers_;
  std::int64_t rows_;
  std::int64_t columns_;
  Device device_;
  Builder builder_;
  std::vector<Value> values_;
  std::vector<Array> inputs_;
};

}  // namespace tessera::test
