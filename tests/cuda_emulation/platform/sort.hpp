#pragma once

// Takes the place of devices/cuda/platform/sort.hpp.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <vector>

#include "emulation/runtime.hpp"
#include "emulation/settings.hpp"

namespace tessera::cuda {

/// Like a radix sort by eight bits at a time, each time from one pair of buffers into the other.
template <class Key, class Value, class Allocate>
cudaError_t stable_sort(cudaStream_t stream, const Allocate& /*allocate*/, Key* const (&keys)[2],
                        Value* const (&values)[2], std::size_t count, int bits, bool& moved) {
  moved = (bits + 7) / 8 % 2 == 1;
  const Key mask = static_cast<Key>(~Key{0}) >> (sizeof(Key) * 8 - static_cast<std::size_t>(bits));
  return cuda_emulation::enqueue(
      stream, [=, from = keys[0], with = values[0], to = keys[moved ? 1 : 0], along = values[moved ? 1 : 0]] {
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return static_cast<Key>(from[i] & mask); });
        const std::vector<Key> old_keys(from, from + count);
        const std::vector<Value> old_values(with, with + count);
        std::memset(from, cuda_emulation::settings().fill, count * sizeof(Key));
        std::memset(with, cuda_emulation::settings().fill, count * sizeof(Value));
        for (std::size_t i = 0; i < count; ++i) {
          to[i] = old_keys[order[i]];
          along[i] = old_values[order[i]];
        }
      });
}

}  // namespace tessera::cuda
