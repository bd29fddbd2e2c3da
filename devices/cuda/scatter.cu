// Updates are sorted by the row that they go to (stable, so in their order), and each element of a row adds
// its updates one after the other, in float64 for floats: the order of a plain loop, whatever the number of
// threads. Long rows of updates are added in pieces of a fixed length, and the pieces one after the other.

#include <optional>

#include <tessera/scalar.hpp>

#include "devices/common/element_ops.hpp"
#include "devices/cuda/axes.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/sort_keys.hpp"

namespace tessera::cuda {
namespace {

// Updates of one row that are added one after the other; more go in pieces of half as many.
constexpr std::int64_t kLongOfWide = 4096;
constexpr std::int64_t kLongOfNarrow = 512;
constexpr std::int64_t kWideInner = 64;
// Updates that a thread reads at once: their sum waits for each in turn.
constexpr int kAtOnce = 16;

/// What happens along the axis: sorted updates, and where each row's begin and end.
struct Plan {
  std::int64_t axis = 0;
  std::int64_t count = 0;  ///< of updates
  std::int64_t segments = 0;
  bool by_row = false;  ///< segment s is row s; else it begins at sorted update s, if a row does
  bool wide = false;    ///< keys and positions have 64 bits
  const void* keys = nullptr;
  const void* positions = nullptr;
  std::int64_t* begins = nullptr;
  std::int64_t* ends = nullptr;
  std::int64_t* piece_ends =
      nullptr;               ///< pieces up to the end of each segment; null where no segment is long
  std::int64_t pieces = 0;   ///< at most
  std::int64_t longest = 0;  ///< segment that goes in one piece

  __device__ std::int64_t key(std::int64_t at) const { return load(keys, at); }
  __device__ std::int64_t position(std::int64_t at) const { return load(positions, at); }
  __device__ void get_positions(std::int64_t at, std::int64_t (&out)[kAtOnce]) const {
    TESSERA_UNROLL
    for (int i = 0; i < kAtOnce; ++i) out[i] = load(positions, at + i);
  }

 private:
  __device__ std::int64_t load(const void* data, std::int64_t at) const {
    return wide ? static_cast<std::int64_t>(static_cast<const std::uint64_t*>(data)[at])
                : static_cast<std::int64_t>(static_cast<const std::uint32_t*>(data)[at]);
  }
};

/// A wrong index goes to row `axis`, behind all others.
template <class Key>
__global__ void keys_kernel(IndexCheck check, std::int64_t axis, std::int64_t count,
                            const std::int64_t* indices, std::int64_t stride, Key* keys, Key* positions) {
  for (std::int64_t c = thread_in_grid(); c < count; c += threads_in_grid()) {
    const std::int64_t index = indices[c * stride];
    const bool good = element::in_bounds(index, axis);
    if (!good) checked_index(check, index, axis);
    keys[c] = static_cast<Key>(good ? element::from_front(index, axis) : axis);
    positions[c] = static_cast<Key>(c);
  }
}

/// The first sorted update that goes to `row` or behind it.
__device__ std::int64_t lower_bound(const Plan& plan, std::int64_t row) {
  std::int64_t low = 0;
  std::int64_t high = plan.count;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (plan.key(middle) < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

__global__ void segments_kernel(Plan plan) {
  for (std::int64_t s = thread_in_grid(); s < plan.segments; s += threads_in_grid()) {
    std::int64_t begin = s;
    std::int64_t end = s;
    if (plan.by_row) {
      begin = lower_bound(plan, s);
      end = lower_bound(plan, s + 1);
    } else if (const std::int64_t row = plan.key(s); row < plan.axis && (s == 0 || plan.key(s - 1) != row)) {
      end = lower_bound(plan, row + 1);
    }
    plan.begins[s] = begin;
    plan.ends[s] = end;
    if (plan.piece_ends != nullptr) {
      const std::int64_t length = end - begin;
      const std::int64_t piece = plan.longest / 2;
      plan.piece_ends[s] = length > plan.longest ? (length + piece - 1) / piece : 0;
    }
  }
}

template <ScatterOp op, class A>
__device__ A combined(A a, A b) {
  if constexpr (op == ScatterOp::add) return element::add(a, b);
  if constexpr (op == ScatterOp::min) return element::minimum(a, b);
  if constexpr (op == ScatterOp::max) return element::maximum(a, b);
  return b;
}

/// The updates [begin, end) of the sorted list on top of `total`.
template <ScatterOp op, class T, class A>
__device__ A gather(const Plan& plan, const T* updates, std::int64_t stride, std::int64_t begin,
                    std::int64_t end, A total) {
  std::int64_t at = begin;
  for (; at + kAtOnce <= end; at += kAtOnce) {  // as many loads are in flight
    std::int64_t positions[kAtOnce];
    T values[kAtOnce];
    plan.get_positions(at, positions);
    TESSERA_UNROLL
    for (int i = 0; i < kAtOnce; ++i) values[i] = updates[positions[i] * stride];
    TESSERA_UNROLL
    for (int i = 0; i < kAtOnce; ++i) total = combined<op>(total, convert<A>(values[i]));
  }
  for (; at < end; ++at) total = combined<op>(total, convert<A>(updates[plan.position(at) * stride]));
  return total;
}

/// pieces[p, o, i]: what piece p of a long segment adds to element (o, i) of its row.
template <ScatterOp op, class T, class A>
__global__ void pieces_kernel(Plan plan, Axes places, const T* updates, A* pieces) {
  const std::int64_t across = places.count;
  for (std::int64_t task = thread_in_grid(); task < plan.pieces * across; task += threads_in_grid()) {
    const std::int64_t p = task / across;
    if (p >= plan.piece_ends[plan.segments - 1]) return;
    std::int64_t low = 0;  // the segment that the piece belongs to
    std::int64_t high = plan.segments - 1;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (plan.piece_ends[middle] <= p) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const std::int64_t before = low == 0 ? 0 : plan.piece_ends[low - 1];
    const std::int64_t begin = plan.begins[low] + (p - before) * (plan.longest / 2);
    const std::int64_t end =
        begin + plan.longest / 2 < plan.ends[low] ? begin + plan.longest / 2 : plan.ends[low];
    const T* const from = updates + places.in(task % across);
    const A first = convert<A>(from[plan.position(begin) * places.strides[1]]);
    pieces[task] = gather<op>(plan, from, places.strides[1], begin + 1, end, first);
  }
}

template <ScatterOp op, class T, class A, class Target>
__global__ void apply_kernel(Plan plan, Axes places, const T* updates, const A* pieces, Target* target) {
  const std::int64_t across = places.count;
  for (std::int64_t task = thread_in_grid(); task < plan.segments * across; task += threads_in_grid()) {
    const std::int64_t s = task / across;
    const std::int64_t begin = plan.begins[s];
    const std::int64_t end = plan.ends[s];
    if (begin == end) continue;
    Target& element = target[places.out(task % across) + plan.key(begin) * places.out_strides[1]];
    const T* const from = updates + places.in(task % across);
    if constexpr (op == ScatterOp::set) {
      element = from[plan.position(end - 1) * places.strides[1]];
    } else {
      A total = convert<A>(element);
      if (end - begin <= plan.longest) {
        total = gather<op>(plan, from, places.strides[1], begin, end, total);
      } else {
        const std::int64_t first = s == 0 ? 0 : plan.piece_ends[s - 1];
        for (std::int64_t p = first; p < plan.piece_ends[s]; ++p) {
          total = combined<op>(total, pieces[p * across + task % across]);
        }
      }
      element = convert<Target>(total);
    }
  }
}

template <class Key>
void sort_updates(CudaDevice& device, Plan& plan, const View& indices, Pairs<Key>& pairs) {
  device.enqueue(keys_kernel<Key>, device.grid_for(plan.count, kThreads), kThreads, device.index_check(),
                 plan.axis, plan.count, indices.as<const std::int64_t>(), indices.strides[0], pairs.keys(),
                 pairs.values());
  pairs.sort(bits_of(plan.axis + 1));
  plan.keys = pairs.keys();
  plan.positions = pairs.values();
}

template <ScatterOp op, class T, class A, class Target>
void run(CudaDevice& device, const Plan& plan, const Axes& places, const View& updates, const View& target) {
  const std::int64_t across = places.count;
  const std::int64_t pieces = plan.piece_ends == nullptr ? 0 : plan.pieces * across;
  const Workspace partial = device.scratch(static_cast<std::size_t>(pieces) * sizeof(A));
  if constexpr (op != ScatterOp::set) {
    if (pieces > 0) {
      device.enqueue(pieces_kernel<op, T, A>, device.grid_for(pieces, kThreads), kThreads, plan, places,
                     updates.as<const T>(), partial.as<A>());
    }
  }
  device.enqueue(apply_kernel<op, T, A, Target>, device.grid_for(plan.segments * across, kThreads), kThreads,
                 plan, places, updates.as<const T>(), partial.as<const A>(), target.as<Target>());
}

/// min, max, and add, in what each accumulates.
template <ScatterOp op>
void run_dtype(CudaDevice& device, const Plan& plan, const Axes& places, const View& updates,
               const View& target) {
  visit_dtype(updates.dtype, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>) {
      return;
    } else if constexpr (op == ScatterOp::add && std::is_floating_point_v<T>) {
      if (target.dtype == DType::float64) {
        run<op, T, double, double>(device, plan, places, updates, target);
      } else {
        run<op, T, double, float>(device, plan, places, updates, target);
      }
    } else {
      run<op, T, T, T>(device, plan, places, updates, target);
    }
  });
}

}  // namespace

void CudaDevice::scatter(ScatterOp op, const View& indices, const View& updates, const View& target) {
  if (updates.size() == 0) return;
  enter();
  Plan plan;
  plan.axis = target.shape[1];
  plan.count = updates.shape[1];
  plan.wide = plan.count > kMostNarrow || plan.axis >= kMostNarrow;
  plan.by_row = plan.axis <= plan.count;
  plan.segments = plan.by_row ? plan.axis : plan.count;
  plan.longest = updates.shape[2] >= kWideInner ? kLongOfWide : kLongOfNarrow;
  // A long segment has more than `longest` updates, and one piece more than it has halves of `longest`.
  plan.pieces = plan.count / (plan.longest / 2) + plan.count / plan.longest + 1;
  if (plan.axis == 0) {  // nowhere to go: every index is wrong, and is reported
    plan.segments = 0;
  }

  std::optional<Pairs<std::uint64_t>> wide;
  std::optional<Pairs<std::uint32_t>> narrow;
  if (plan.wide) {
    sort_updates(*this, plan, indices, wide.emplace(*this, plan.count));
  } else {
    sort_updates(*this, plan, indices, narrow.emplace(*this, plan.count));
  }
  if (plan.segments == 0) return;

  const auto segment_bytes = static_cast<std::size_t>(plan.segments) * sizeof(std::int64_t);
  const Workspace begins = scratch(segment_bytes);
  const Workspace ends = scratch(segment_bytes);
  const bool may_be_long = op != ScatterOp::set && plan.count > plan.longest;
  const Workspace piece_ends = scratch(may_be_long ? segment_bytes : 0);
  plan.begins = begins.as<std::int64_t>();
  plan.ends = ends.as<std::int64_t>();
  if (may_be_long) plan.piece_ends = piece_ends.as<std::int64_t>();
  enqueue(segments_kernel, grid_for(plan.segments, kThreads), kThreads, plan);
  if (may_be_long) {
    const View sums{.data = piece_ends.data(),
                    .dtype = DType::int64,
                    .shape = {1, plan.segments, 1},
                    .strides = {plan.segments, 1, 1}};
    scan(ScanOp::sum, sums, sums);
  }

  const Axes places = make_axes(updates, target);
  switch (op) {
    case ScatterOp::add: return run_dtype<ScatterOp::add>(*this, plan, places, updates, target);
    case ScatterOp::min: return run_dtype<ScatterOp::min>(*this, plan, places, updates, target);
    case ScatterOp::max: return run_dtype<ScatterOp::max>(*this, plan, places, updates, target);
    case ScatterOp::set:
      visit_bits(updates.dtype,
                 [&]<class T>(T) { run<ScatterOp::set, T, T, T>(*this, plan, places, updates, target); });
  }
}

}  // namespace tessera::cuda
