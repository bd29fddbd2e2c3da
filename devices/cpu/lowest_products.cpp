#include "devices/cpu/lowest_products.hpp"

#include <algorithm>
#include <limits>

// Before a loop whose variable indexes registers: unless it is unrolled, GCC keeps them in memory.
#define TESSERA_UNROLL _Pragma("GCC unroll 16")

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/lowest_products.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "devices/cpu/panels-inl.hpp"

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using IndexTag = hn::RebindToSigned<Tag<T>>;
template <class T>
using Index = hn::TFromD<IndexTag<T>>;
template <class T>
using Vector = hn::Vec<Tag<T>>;
template <class T>
using IndexVector = hn::Vec<IndexTag<T>>;
template <class T>
constexpr std::int64_t kNative = static_cast<std::int64_t>(hn::MaxLanes(Tag<T>()));

/// A panel is so many vectors of samples; so many centers go with it at once.
constexpr int kVectors = kNative<float> >= 16 ? 4 : 2;
constexpr int kCenters = 4;
template <class T>
constexpr std::int64_t kPanel = kVectors* kNative<T>;

/// Up to so many features of a panel stay in registers.
constexpr int kRegisterFeatures = 4;
/// Below so many features it pays to note only the block of the winner, and to look for it there afterwards.
constexpr std::int64_t kBlockFeatures = 16;

/// The best so far of a panel: scores, and indices of centers or of their blocks.
template <class T>
struct Winners {
  Vector<T> best[kVectors];
  IndexVector<T> index[kVectors];
};

enum class Find {
  block,   ///< indices are those of blocks; no score is a NaN, and alpha * product is exact
  center,  ///< the same, with indices of centers
  all,     ///< any scores
};

template <Find find, class T>
HWY_INLINE void meet(Winners<T>& winners, const Vector<T> (&product)[kVectors], Vector<T> alpha, T bias,
                     std::int64_t center) {
  const Tag<T> d;
  const IndexTag<T> di;
  const auto biases = hn::Set(d, bias);
  TESSERA_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    auto& best = winners.best[v];
    if constexpr (find == Find::block) {
      best = hn::Min(hn::MulAdd(alpha, product[v], biases), best);
    } else {
      const auto score = find == Find::all ? hn::Add(biases, hn::Mul(alpha, product[v]))
                                           : hn::MulAdd(alpha, product[v], biases);
      auto wins = hn::Lt(score, best);
      if constexpr (find == Find::all) wins = hn::Or(wins, hn::AndNot(hn::IsNaN(best), hn::IsNaN(score)));
      best = hn::IfThenElse(wins, score, best);
      winners.index[v] = hn::IfThenElse(hn::RebindMask(di, wins), hn::Set(di, static_cast<Index<T>>(center)),
                                        winners.index[v]);
    }
  }
}

/// Notes the block where it has lowered the best.
template <class T>
HWY_INLINE void note_block(Winners<T>& winners, const Vector<T> (&before)[kVectors], std::int64_t block) {
  const IndexTag<T> di;
  TESSERA_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const auto lowered = hn::RebindMask(di, hn::Lt(winners.best[v], before[v]));
    winners.index[v] = hn::IfThenElse(lowered, hn::Set(di, static_cast<Index<T>>(block)), winners.index[v]);
  }
}

template <class T>
HWY_INLINE void copy(const Vector<T> (&from)[kVectors], Vector<T> (&to)[kVectors]) {
  TESSERA_UNROLL
  for (int v = 0; v < kVectors; ++v) to[v] = from[v];
}

template <class T>
HWY_INLINE void start(Winners<T>& winners) {
  TESSERA_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    winners.best[v] = hn::Set(Tag<T>(), std::numeric_limits<T>::infinity());
    winners.index[v] = hn::Zero(IndexTag<T>());
  }
}

/// Blocks of the winners, the features of the panel in registers.
template <int k, class T>
HWY_NOINLINE void in_registers(const PackedCenters<T>& centers, const T* panel, Winners<T>& result) {
  const Tag<T> d;
  Vector<T> x[k][kVectors];
  TESSERA_UNROLL
  for (int p = 0; p < k; ++p) {
    TESSERA_UNROLL
    for (int v = 0; v < kVectors; ++v) x[p][v] = hn::Load(d, panel + p * kPanel<T> + v * kNative<T>);
  }
  const auto alpha = hn::Set(d, centers.alpha);
  Winners<T> winners;
  start(winners);
  const std::int64_t blocks = center_blocks(centers.n);
  for (std::int64_t b = 0; b < blocks; ++b) {
    const T* const y = centers.blocks + b * kCenterBlock * k;
    const T* const biases = centers.biases + b * kCenterBlock;
    Vector<T> before[kVectors];
    copy<T>(winners.best, before);
    TESSERA_UNROLL
    for (int c = 0; c < static_cast<int>(kCenterBlock); ++c) {
      Vector<T> product[kVectors];
      TESSERA_UNROLL
      for (int v = 0; v < kVectors; ++v) product[v] = hn::Zero(d);
      TESSERA_UNROLL
      for (int p = 0; p < k; ++p) {
        const auto feature = hn::Set(d, y[p * kCenterBlock + c]);
        TESSERA_UNROLL
        for (int v = 0; v < kVectors; ++v) product[v] = hn::MulAdd(x[p][v], feature, product[v]);
      }
      meet<Find::block, T>(winners, product, alpha, biases[c], 0);
    }
    note_block(winners, before, b);
  }
  result = winners;
}

/// The same for any number of features, and for all ways to find the winner.
template <Find find, class T>
HWY_NOINLINE void in_tiles(const PackedCenters<T>& centers, const T* panel, Winners<T>& result) {
  const Tag<T> d;
  const std::int64_t k = centers.k;
  const auto alpha = hn::Set(d, centers.alpha);
  Winners<T> winners;
  start(winners);
  for (std::int64_t j = 0; j < centers.n; j += kCenterBlock) {
    Vector<T> before[kVectors];
    copy<T>(winners.best, before);
    for (std::int64_t c = 0; c < kCenterBlock; c += kCenters) {
      Vector<T> product[kCenters][kVectors];
      TESSERA_UNROLL
      for (int r = 0; r < kCenters; ++r) {
        TESSERA_UNROLL
        for (int v = 0; v < kVectors; ++v) product[r][v] = hn::Zero(d);
      }
      const T* y = centers.blocks + j * k + c;
      const T* x = panel;
      for (std::int64_t p = 0; p < k; ++p, y += kCenterBlock, x += kPanel<T>) {
        Vector<T> sample[kVectors];
        TESSERA_UNROLL
        for (int v = 0; v < kVectors; ++v) sample[v] = hn::Load(d, x + v * kNative<T>);
        TESSERA_UNROLL
        for (int r = 0; r < kCenters; ++r) {
          const auto feature = hn::Set(d, y[r]);
          TESSERA_UNROLL
          for (int v = 0; v < kVectors; ++v) product[r][v] = hn::MulAdd(sample[v], feature, product[r][v]);
        }
      }
      TESSERA_UNROLL
      for (int r = 0; r < kCenters; ++r) {
        if (find == Find::all && j + c + r >= centers.n) break;
        meet<find, T>(winners, product[r], alpha, centers.biases[j + c + r], j + c + r);
      }
    }
    if constexpr (find == Find::block) note_block(winners, before, j / kCenterBlock);
  }
  result = winners;
}

/// The first center of a block whose score is `best`, and that score: it may be a zero of the other sign.
template <class T>
HWY_INLINE std::int64_t center_of(const PackedCenters<T>& centers, const T* sample, std::int64_t block,
                                  T& best) {
  const Tag<T> d;
  const T* const y = centers.blocks + block * kCenterBlock * centers.k;
  const auto alpha = hn::Set(d, centers.alpha);
  for (std::int64_t c = 0; c < kCenterBlock; c += kNative<T>) {
    auto product = hn::Zero(d);
    for (std::int64_t p = 0; p < centers.k; ++p) {
      product = hn::MulAdd(hn::Set(d, sample[p * kPanel<T>]), hn::Load(d, y + p * kCenterBlock + c), product);
    }
    const auto score = hn::MulAdd(alpha, product, hn::Load(d, centers.biases + block * kCenterBlock + c));
    const auto found = hn::Eq(score, hn::Set(d, best));
    if (hn::AllFalse(d, found)) continue;
    const auto at = static_cast<std::int64_t>(hn::FindKnownFirstTrue(d, found));
    HWY_ALIGN T scores[kNative<T>];
    hn::Store(score, d, scores);
    best = scores[at];
    return block * kCenterBlock + c + at;
  }
  return block * kCenterBlock;
}

/// An upper bound of the largest magnitude; an infinity where there is a NaN or an infinity.
template <class T>
double largest_magnitude(const T* x, std::int64_t vectors) {
  const Tag<T> d;
  const IndexTag<T> di;
  auto most = hn::Zero(di);
  for (std::int64_t i = 0; i < vectors; ++i) {
    most = hn::Max(most, hn::BitCast(di, hn::Abs(hn::Load(d, x + i * kNative<T>))));
  }
  // The bits of magnitudes are in their order, those of NaN above all.
  HWY_ALIGN T values[kNative<T>];
  hn::Store(hn::BitCast(d, most), d, values);
  double result = 0;
  for (const T value : values) {
    if (!(value <= std::numeric_limits<T>::max())) return std::numeric_limits<double>::infinity();
    result = std::max(result, static_cast<double>(value));
  }
  return result;
}

template <class T>
HWY_INLINE void lowest_of_panel(const PackedCenters<T>& centers, const T* panel, Winners<T>& winners,
                                bool& by_blocks) {
  // Where no score can overflow, one fused multiply-add is a product and a sum: alpha is a power of 2.
  const double most = largest_magnitude(panel, centers.k * kVectors) * centers.largest *
                      static_cast<double>(centers.k) * std::abs(static_cast<double>(centers.alpha));
  const bool moderate = centers.exact_alpha && most < static_cast<double>(std::numeric_limits<T>::max()) / 4;
  by_blocks = moderate && centers.k < kBlockFeatures;
  if (!moderate) {
    in_tiles<Find::all, T>(centers, panel, winners);
  } else if (!by_blocks) {
    in_tiles<Find::center, T>(centers, panel, winners);
  } else {
    switch (centers.k) {
      case 1: return in_registers<1, T>(centers, panel, winners);
      case 2: return in_registers<2, T>(centers, panel, winners);
      case 3: return in_registers<3, T>(centers, panel, winners);
      case kRegisterFeatures: return in_registers<kRegisterFeatures, T>(centers, panel, winners);
      default: return in_tiles<Find::block, T>(centers, panel, winners);
    }
  }
}

template <class T>
void lowest_products(const PackedCenters<T>& centers, const LowestProducts<T>& task) {
  const Tag<T> d;
  const IndexTag<T> di;
  HWY_ALIGN T panel[kLowestFeatures * kPanel<T>];
  HWY_ALIGN T scores[kPanel<T>];
  HWY_ALIGN Index<T> indices[kPanel<T>];
  for (std::int64_t i = 0; i < task.m; i += kPanel<T>) {
    const std::int64_t count = std::min(kPanel<T>, task.m - i);
    const Matrix<const T> x = task.x.at(i, 0);
    pack_panel<T>(centers.k, count, kPanel<T>, {x.data, x.column_stride, x.row_stride}, panel);
    Winners<T> winners;
    bool by_blocks = false;
    lowest_of_panel(centers, panel, winners, by_blocks);
    TESSERA_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(winners.best[v], d, scores + v * kNative<T>);
      hn::Store(winners.index[v], di, indices + v * kNative<T>);
    }
    for (std::int64_t s = 0; s < count; ++s) {
      std::int64_t index = indices[s];
      if (by_blocks) index = center_of(centers, panel + s, index, scores[s]);
      task.index[(i + s) * task.index_stride] = index;
      task.score[(i + s) * task.score_stride] = scores[s];
    }
  }
}

template <class T>
double pack_centers(const PackedCenters<T>& packed, Matrix<const T> y, std::int64_t first,
                    std::int64_t last) {
  const std::int64_t elements = packed.k * kCenterBlock;
  for (std::int64_t b = first; b < last; ++b) {
    const std::int64_t j = b * kCenterBlock;
    pack_panel(packed.k, std::min(kCenterBlock, packed.n - j), kCenterBlock, y.at(0, j),
               packed.blocks + b * elements);
  }
  return largest_magnitude(packed.blocks + first * elements, (last - first) * elements / kNative<T>);
}

// HWY_EXPORT names functions, not instantiations of templates.
#define TESSERA_LOWEST_PRODUCTS(T, suffix)                                                            \
  double pack_centers_##suffix(const PackedCenters<T>& packed, Matrix<const T> y, std::int64_t first, \
                               std::int64_t last) {                                                   \
    return pack_centers<T>(packed, y, first, last);                                                   \
  }                                                                                                   \
  void lowest_products_##suffix(const PackedCenters<T>& centers, const LowestProducts<T>& task) {     \
    lowest_products<T>(centers, task);                                                                \
  }

TESSERA_LOWEST_PRODUCTS(float, float32)
TESSERA_LOWEST_PRODUCTS(double, float64)
#undef TESSERA_LOWEST_PRODUCTS

}  // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

#define TESSERA_LOWEST_PRODUCTS(T, suffix)                                                   \
  HWY_EXPORT(pack_centers_##suffix);                                                         \
  HWY_EXPORT(lowest_products_##suffix);                                                      \
  double pack_centers(const PackedCenters<T>& packed, Matrix<const T> y, std::int64_t first, \
                      std::int64_t last) {                                                   \
    return HWY_DYNAMIC_DISPATCH(pack_centers_##suffix)(packed, y, first, last);              \
  }                                                                                          \
  void lowest_products(const PackedCenters<T>& centers, const LowestProducts<T>& task) {     \
    HWY_DYNAMIC_DISPATCH(lowest_products_##suffix)(centers, task);                           \
  }

TESSERA_LOWEST_PRODUCTS(float, float32)
TESSERA_LOWEST_PRODUCTS(double, float64)
#undef TESSERA_LOWEST_PRODUCTS

}  // namespace tessera::cpu
#endif
