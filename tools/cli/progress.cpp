#include "progress.hpp"

#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "command.hpp"

namespace tessera::cli {

ProgressLine::ProgressLine(std::string device)
    : device_(std::move(device)), terminal_(::isatty(STDERR_FILENO) != 0), start_(Clock::now()) {}

void ProgressLine::show(const kmeans::Iteration& iteration) {
  if (!terminal_) return;
  using namespace std::chrono_literals;
  ++iterations_;
  ++pending_;
  last_ = iteration;
  const auto now = Clock::now();
  if (iterations_ > 1 && now - shown_ < 50ms) return;
  shown_ = now;
  write(iteration);
}

void ProgressLine::write(const kmeans::Iteration& iteration) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  print_error(fmt::format("\r{}: iteration {:4}  inertia {:<12.8g}  shift {:<9.3g}  {:.1f} iterations/s  ",
                          device_, iteration.number, iteration.inertia.value_or(0), iteration.shift,
                          iterations_ / seconds));
  pending_ = 0;
}

void ProgressLine::finish() {
  if (iterations_ == 0) return;
  if (pending_ > 0) write(last_);
  print_error("\n");
  iterations_ = 0;
}

}  // namespace tessera::cli
