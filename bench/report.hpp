#pragma once

#include <set>
#include <string>
#include <vector>

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

/// Throws IOError where a file cannot be opened for writing; what is in it stays.
void require_writable(const std::string& path);

/// The rows of one run: shown as they come, and written to a JSON file row by row, so that a run that was
/// stopped can be taken up again.
class Report {
 public:
  /// `path` may be empty: rows are only shown. Rows that the file has already are kept.
  /// Throws IOError, before anything is measured, where the file holds no rows or cannot be written.
  explicit Report(std::string path, Wanted wanted = {}, Row source = {});

  /// Whether a row need not be measured: the file has one of that question, device, mode, schedule, sizes and
  /// tiles, or others are wanted. A row of the file is told of, once.
  bool has(const Row& row);
  void add(Row row);
  /// Throws ValueError with the rows that were asked about if others were wanted than any of them.
  void require_found() const;

 private:
  void write() const;

  std::string path_;
  Wanted wanted_;
  Row source_;  ///< where the arrays come from, the same for all rows of a run
  bool is_wanted(const Row& row) const;

  std::vector<std::string> names_;  ///< of the rows asked about, with their tiles
  bool found_ = false;              ///< one of them was wanted
  std::set<std::string> told_;      ///< the rows of the file that were
  std::set<std::string> added_;     ///< the rows of this run
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

/// A row's head: what was asked.
Row row(const std::string& question, const Device& device, const std::string& mode,
        const std::string& schedule, const Size& size);

/// Seconds, first call and peak; GFLOP/s where `flops` is not 0.
void put(Row& row, const Measured& measured, double flops = 0);

}  // namespace tessera::bench
