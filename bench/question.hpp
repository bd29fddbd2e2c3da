#pragma once

#include <cstdint>
#include <string>

#include "measure.hpp"
#include "problem.hpp"
#include "report.hpp"

namespace tessera::bench {

/// What every question is asked with.
struct Setting {
  Device device;
  Size size;
  Source source;
  bool compiled = false;
  Timing timing;
  bool explain = false;  ///< compiled functions are printed
  std::string labels;    ///< a .npy file for the labels of the last row; none where empty
};

/// "eager" or "compiled".
inline std::string mode(const Setting& setting) {
  return setting.compiled ? "compiled" : "eager";
}

/// n * k * d.
inline double work(const Size& size) {
  return static_cast<double>(size.samples) * static_cast<double>(size.clusters) *
         static_cast<double>(size.features);
}

/// Whether a question times one call of each schedule, after one warm-up that they share: a call takes tens
/// of seconds.
inline bool is_large(const Size& size) {
  return work(size) > 3e11;
}

/// The timing of the rows after the first.
inline Timing next_timing(const Setting& setting) {
  Timing timing = setting.timing;
  timing.warm = is_large(setting.size);
  return timing;
}

/// A row that is not measured: no seconds, and why.
inline void put_unsupported(Row& row, const std::string& reason) {
  row["unsupported"] = reason;
}

inline void keep_labels(const Setting& setting, const Array& labels) {
  if (!setting.labels.empty()) save_npy(setting.labels, labels);
}

/// What small arrays and rounding up may take beside a prediction of a peak.
inline constexpr std::int64_t kMebibyte = 1 << 20;
/// The most that the distances of a compiled Gram take, whatever the tile that is asked for.
inline constexpr std::int64_t kCompiledTile = 16 * kMebibyte;

/// The peak of assign_gram_tiled: a tile of distances, and labels and scores in pieces and joined.
inline std::int64_t gram_tiled_peak(const Size& size, std::int64_t tile_samples, std::int64_t tile_centers) {
  return 4 * tile_samples * tile_centers + 24 * size.samples + kMebibyte;
}

// One function a question; each adds its rows to the report.
void assign_grid(const Setting& setting, Report& report);
void running(const Setting& setting, Report& report);
void lloyd(const Setting& setting, Report& report);
void init(const Setting& setting, Report& report);
void fit(const Setting& setting, Report& report);
void kernels(const Setting& setting, Report& report);
void ops(const Setting& setting, Report& report);

}  // namespace tessera::bench
