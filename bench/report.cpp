#include "report.hpp"

#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "machine.hpp"

namespace tessera::bench {
namespace {

constexpr const char* kIdentity[] = {"question", "device", "mode",         "schedule",     "n",
                                     "k",        "d",      "tile_samples", "tile_centers", "operation"};

bool same_question(const Row& a, const Row& b) {
  for (const char* const key : kIdentity) {
    if (a.contains(key) != b.contains(key) || (a.contains(key) && a[key] != b[key])) return false;
  }
  // Another number of threads, or another version, is another question.
  return a.value("machine", Row()) == b.value("machine", Row()) &&
         a.value("source", Row()) == b.value("source", Row());
}

std::string text(const Row& row) {
  std::string line;
  for (const char* const key : kIdentity) {
    if (!row.contains(key)) continue;
    const auto& value = row[key];
    const bool bare = value.is_string();
    line += bare ? value.get<std::string>() + " " : fmt::format("{}={} ", key, value.dump());
  }
  if (row.contains("unsupported")) return line + "unsupported: " + row["unsupported"].get<std::string>();
  if (row.contains("seconds")) line += fmt::format("| {:.6f} s ", row["seconds"]["median"].get<double>());
  for (const char* const key : {"compile_seconds", "gflops", "gigabytes_per_second", "share_of_copy",
                                "share_of_peak", "nanoseconds", "scaled"}) {
    if (row.contains(key)) line += fmt::format("| {} {:.3g} ", key, row[key].get<double>());
  }
  for (const char* const key : {"peak_bytes", "predicted_peak_bytes", "labels_differ", "n_iter"}) {
    if (row.contains(key)) line += fmt::format("| {} {} ", key, row[key].dump());
  }
  return line;
}

}  // namespace

Report::Report(std::string path, Wanted wanted, Row source)
    : path_(std::move(path)), wanted_(std::move(wanted)), source_(std::move(source)) {
  std::ifstream file(path_);
  if (path_.empty() || !file) return;
  try {
    rows_ = nlohmann::ordered_json::parse(file);
  } catch (const nlohmann::json::exception& error) {
    throw IOError(
        fmt::format("[bench] {} is no JSON of an earlier run ({}); move it away", path_, error.what()));
  }
  if (!rows_.is_array()) throw IOError(fmt::format("[bench] {} is no list of rows; move it away", path_));
}

bool Report::has(const Row& row) const {
  const auto unlike = [&](const char* key, std::int64_t tile) {
    return tile > 0 && row.value(key, std::int64_t{0}) != tile;
  };
  if (!wanted_.schedule.empty() && row.value("operation", row.value("schedule", "")) != wanted_.schedule) {
    return true;
  }
  if (unlike("tile_samples", wanted_.tile_samples) || unlike("tile_centers", wanted_.tile_centers))
    return true;
  Row wanted = row;
  wanted["source"] = source_;
  for (const Row& known : rows_) {
    if (same_question(known, wanted)) return true;
  }
  return false;
}

void Report::add(Row row) {
  std::puts(text(row).c_str());
  std::fflush(stdout);
  row["source"] = source_;
  rows_.push_back(std::move(row));
  write();
}

void Report::write() const {
  if (path_.empty()) return;
  const std::string temporary = path_ + ".part";
  std::ofstream file(temporary);
  file << rows_.dump(1) << "\n";
  file.close();
  if (!file || std::rename(temporary.c_str(), path_.c_str()) != 0) {
    throw IOError(fmt::format("[bench] cannot write {}", path_));
  }
}

Row row(const std::string& question, const Device& device, const std::string& mode,
        const std::string& schedule, const Size& size) {
  return {{"question", question}, {"device", device.name()}, {"mode", mode},
          {"schedule", schedule}, {"size", size.name},       {"n", size.samples},
          {"k", size.clusters},   {"d", size.features},      {"machine", machine(device)}};
}

void put(Row& row, const Measured& measured, double flops) {
  row["seconds"] = {
      {"median", measured.seconds.median}, {"min", measured.seconds.min}, {"max", measured.seconds.max}};
  if (measured.first_call_seconds > 0) row["first_call_seconds"] = measured.first_call_seconds;
  row["peak_bytes"] = measured.peak_bytes;
  row["max_rss_bytes"] = max_rss_bytes();
  if (flops > 0 && measured.seconds.median > 0) row["gflops"] = flops / measured.seconds.median / 1e9;
}

}  // namespace tessera::bench
