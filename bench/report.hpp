#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "measure.hpp"
#include "problem.hpp"

namespace tessera::bench {

using Row = nlohmann::ordered_json;

/// Which rows are wanted; all of them where nothing is set.
struct Wanted {
  std::string schedule;  ///< or operation
  std::int64_t tile_samples = 0;
  std::int64_t tile_centers = 0;
};

/// The rows of one run: shown as they come, and written to a JSON file row by row, so that a run that was
/// stopped can be taken up again.
class Report {
 public:
  /// `path` may be empty: rows are only shown. Rows that the file has already are kept.
  explicit Report(std::string path, Wanted wanted = {}, Row source = {});

  /// Whether a row need not be measured: the file has one of that question, device, mode, schedule, sizes and
  /// tiles, or others are wanted.
  bool has(const Row& row) const;
  void add(Row row);

 private:
  void write() const;

  std::string path_;
  Wanted wanted_;
  Row source_;  ///< where the arrays come from, the same for all rows of a run
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

/// A row's head: what was asked.
Row row(const std::string& question, const Device& device, const std::string& mode,
        const std::string& schedule, const Size& size);

/// Seconds, first call and peak; GFLOP/s where `flops` is not 0.
void put(Row& row, const Measured& measured, double flops = 0);

}  // namespace tessera::bench
