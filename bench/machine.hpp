#pragma once

#include <nlohmann/json.hpp>

#include <tessera/tessera.hpp>

namespace tessera::bench {

/// Where a row was measured: processor, cores, instruction set and libraries of the device, commit.
nlohmann::ordered_json machine(const Device& device);

/// The most resident memory of the process so far, in bytes.
std::int64_t max_rss_bytes();

}  // namespace tessera::bench
