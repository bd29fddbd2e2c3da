#include "devices/reference/checks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

#include <tessera/error.hpp>
#include "devices/common/element_ops.hpp"
#include "devices/reference/views.hpp"

namespace tessera::reference {

namespace {

std::string describe(const View& view) {
  return fmt::format("{} {} with strides {}", to_string(view.shape), name(view.dtype),
                     to_string(view.strides));
}

/// The first byte that a view may touch, and one past the last.
std::pair<std::uintptr_t, std::uintptr_t> byte_range(const View& view) {
  const auto size = static_cast<std::int64_t>(itemsize(view.dtype));
  std::int64_t first = 0;
  std::int64_t last = 0;
  for (int axis = 0; axis < view.shape.size(); ++axis) {
    const std::int64_t reach = view.strides[axis] * (view.shape[axis] - 1);
    (reach < 0 ? first : last) += reach;
  }
  const auto data = reinterpret_cast<std::uintptr_t>(view.data);
  return {data + static_cast<std::uintptr_t>(first * size),
          data + static_cast<std::uintptr_t>((last + 1) * size)};
}

/// Whether each element has a place of its own: from the smallest stride on, each steps over all that the
/// smaller ones reach.
bool has_own_places(const View& view) {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  for (int axis = 0; axis < view.shape.size(); ++axis) {
    if (view.shape[axis] > 1) steps.emplace_back(std::abs(view.strides[axis]), view.shape[axis]);
  }
  std::sort(steps.begin(), steps.end());
  std::int64_t reach = 0;
  for (const auto& [stride, extent] : steps) {
    if (stride <= reach) return false;
    reach += stride * (extent - 1);
  }
  return true;
}

}  // namespace

void Check::fail(const std::string& text) const {
  throw Error(
      fmt::format("[{}] the reference device's {} was called against its contract: {}; see device.hpp",
                  current_operation(), kernel_, text));
}

void Check::that(bool holds, std::string_view promise) const {
  if (!holds) fail(fmt::format("expected {}", promise));
}

void Check::rank(const char* argument, const View& view, int rank) const {
  if (view.shape.size() != rank)
    fail(fmt::format("{} is {}, expected {} dimensions", argument, describe(view), rank));
}

void Check::dtype(const char* argument, const View& view, DType dtype) const {
  if (view.dtype != dtype) fail(fmt::format("{} is {}, expected {}", argument, describe(view), name(dtype)));
}

void Check::shape(const char* argument, const View& view, const Shape& shape) const {
  if (!(view.shape == shape)) {
    fail(fmt::format("{} is {}, expected the shape {}", argument, describe(view), to_string(shape)));
  }
}

void Check::input(const char* argument, const View& view) const {
  if (view.strides.size() != view.shape.size()) {
    fail(fmt::format("{} is {}: not one stride for each dimension", argument, describe(view)));
  }
  if (std::any_of(view.shape.begin(), view.shape.end(), [](std::int64_t extent) { return extent < 0; })) {
    fail(fmt::format("{} is {}: an extent is negative", argument, describe(view)));
  }
  if (view.size() == 0) return;
  if (view.data == nullptr) fail(fmt::format("{} is {} without memory", argument, describe(view)));
  if (reinterpret_cast<std::uintptr_t>(view.data) % itemsize(view.dtype) != 0) {
    fail(fmt::format("{} is {} at {}: not aligned to its element", argument, describe(view), view.data));
  }
  const bool one_place =
      std::all_of(view.strides.begin(), view.strides.end(), [](std::int64_t s) { return s == 0; });
  if (view.host_scalar && !one_place) {
    fail(fmt::format("{} is {}: a host scalar has strides of 0", argument, describe(view)));
  }
}

void Check::output(const char* argument, const View& view, std::initializer_list<const View*> inputs,
                   bool may_alias) const {
  input(argument, view);
  if (view.host_scalar) fail(fmt::format("{} is a host scalar: not an output", argument));
  if (view.size() == 0) return;
  if (!has_own_places(view)) {
    fail(fmt::format("{} is {}: two of its elements share a place", argument, describe(view)));
  }
  const auto [first, last] = byte_range(view);
  for (const View* other : inputs) {
    if (other->size() == 0) continue;
    const auto [other_first, other_last] = byte_range(*other);
    if (last <= other_first || other_last <= first) continue;
    const bool same = view.data == other->data && itemsize(view.dtype) == itemsize(other->dtype) &&
                      view.shape == other->shape && view.strides == other->strides;
    if (!(same && may_alias)) {
      fail(fmt::format("{} ({}) overlaps an input ({})", argument, describe(view), describe(*other)));
    }
  }
}

std::vector<std::int64_t> Check::positions(const View& indices, std::int64_t length) const {
  dtype("indices", indices, int64);
  input("indices", indices);
  std::vector<std::int64_t> found;
  found.reserve(static_cast<std::size_t>(indices.size()));
  const auto values = elements<std::int64_t>(indices);
  for_each_index(indices.shape, [&](const auto& index) {
    const std::int64_t value = at(values, index);
    if (!element::in_bounds(value, length)) {
      throw IndexError(
          fmt::format("[{}] index {} is out of bounds for an axis of length {}; use indices from {} to {}",
                      current_operation(), value, length, -length, length - 1));
    }
    found.push_back(element::from_front(value, length));
  });
  return found;
}

bool accumulates_into(DType from, DType to) {
  return to == accumulation_dtype(from) || (from == float32 && to == float64);
}

}  // namespace tessera::reference
