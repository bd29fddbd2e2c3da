#include <tessera/trace/cache.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tessera/device_state.hpp>

namespace tessera::trace {
namespace {

Difference array_difference(std::size_t i, const Key::ArrayKey& a, const Key::ArrayKey& b) {
  const auto of = [&](const char* what) { return fmt::format("the {} of array {}", what, i); };
  if (a.valid != b.valid) return {fmt::format("whether array {} is there", i), "it is, then it is not"};
  if (!(a.shape == b.shape)) {
    return {of("shape"), fmt::format("{}, then {}", to_string(a.shape), to_string(b.shape))};
  }
  if (a.dtype != b.dtype) return {of("dtype"), fmt::format("{}, then {}", name(a.dtype), name(b.dtype))};
  if (a.device != b.device) return {of("device"), fmt::format("{}, then {}", a.device->name, b.device->name)};
  return {of("strides"), "another layout of the same shape"};
}

}  // namespace

Key::Key(const Arguments& arguments)
    : numbers(arguments.numbers),
      texts(arguments.texts),
      options(arguments.options),
      types(arguments.types),
      default_device(&tessera::default_device().state()) {
  arrays.reserve(arguments.arrays.size());
  for (const Array& x : arguments.arrays) {
    ArrayKey& key = arrays.emplace_back();
    if (!x.valid()) continue;
    key.valid = true;
    key.contiguous = x.is_contiguous();
    key.dtype = x.dtype();
    key.shape = x.shape();
    if (!key.contiguous) key.strides = x.strides();
    key.device = &x.device().state();
  }
}

Difference difference(const Key& before, const Key& now) {
  if (before.types != now.types || before.arrays.size() != now.arrays.size()) {
    return {"the types or the number of the arguments", ""};
  }
  for (std::size_t i = 0; i < now.arrays.size(); ++i) {
    if (!(before.arrays[i] == now.arrays[i])) return array_difference(i, before.arrays[i], now.arrays[i]);
  }
  if (before.default_device != now.default_device) {
    return {"the default device",
            fmt::format("{}, then {}", before.default_device->name, now.default_device->name)};
  }
  return {"a plain option", "its values are part of what was traced; pass what varies as an array"};
}

std::shared_ptr<const Entry> Cache::find(const Key& key) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry->key == key; });
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return entries_.front();
}

void Cache::insert(std::shared_ptr<const Entry> entry) {
  entries_.push_front(std::move(entry));
  if (entries_.size() > std::max<std::size_t>(most_, 1)) entries_.pop_back();
}

}  // namespace tessera::trace
