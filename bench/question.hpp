#pragma once

#include <cstdint>
#include <string>

#include "problem.hpp"
#include "report.hpp"

namespace tessera::bench {

/// What every question is asked with.
struct Setting {
  Device device;
  Size size;
  Source source;
  bool compiled = false;
  int repeat = 3;
};

/// "eager" or "compiled".
inline std::string mode(const Setting& setting) {
  return setting.compiled ? "compiled" : "eager";
}

/// A row of the compiled mode, which is not there yet: written without seconds.
inline void put_unsupported(Row& row) {
  row["unsupported"] = "there is no compile() in this version";
}

/// What small arrays and rounding up may take beside a prediction of a peak.
inline constexpr std::int64_t kMebibyte = 1 << 20;

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
