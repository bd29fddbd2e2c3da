#pragma once

#include <cstdint>
#include <limits>

#include <CLI/CLI.hpp>

/// Numbers of the command line, checked before they are converted: the whole text must be one, in decimal,
/// and in the range. An empty text (a shell variable that is not set) is none.
namespace tessera::cli {

CLI::Validator whole_number(std::int64_t lowest = std::numeric_limits<std::int64_t>::min(),
                            std::int64_t highest = std::numeric_limits<std::int64_t>::max());
inline CLI::Validator whole_int() {
  return whole_number(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
}
/// 0 .. 2^64 - 1.
CLI::Validator seed_number();
CLI::Validator real_number();

}  // namespace tessera::cli
