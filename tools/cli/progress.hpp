#pragma once

#include <chrono>
#include <string>

#include <kmeans/kmeans.hpp>

namespace tessera::cli {

/// The iterations of a fit as one line on standard error that is written over; nothing where that is no
/// terminal.
class ProgressLine {
 public:
  explicit ProgressLine(std::string device);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Ends the line: an error message that follows begins a new one.
  ~ProgressLine() { finish(); }

  void show(const kmeans::Iteration& iteration);
  /// Shows the last iteration, and ends the line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void write(const kmeans::Iteration& iteration);

  std::string device_;
  bool terminal_;
  Clock::time_point start_;
  Clock::time_point shown_;
  int iterations_ = 0;
  int pending_ = 0;  ///< iterations that are not on the screen yet
  kmeans::Iteration last_;
};

}  // namespace tessera::cli
