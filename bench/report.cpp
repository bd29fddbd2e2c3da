#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string head_of(const Row& row) {
  std::string line;
  for (const char* const key : kIdentity) {
    if (!row.contains(key)) continue;
    const auto& value = row[key];
    const bool bare = value.is_string();
    line += bare ? value.get<std::string>() + " " : fmt::format("{}={} ", key, value.dump());
  }
  return line;
}

// What --only and the tiles may name.
std::string name_of(const Row& row) {
  std::string name = row.value("operation", "all");
  if (name == "all") name = row.value("schedule", "");  // of all operations of a schedule together
  for (const char* const key : {"tile_samples", "tile_centers"}) {
    if (row.contains(key)) name += fmt::format(" {}={}", key, row[key].dump());
  }
  return name;
}

std::string text(const Row& row) {
  std::string line = head_of(row);
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

void require_writable(const std::string& path) {
  if (path.empty()) return;
  const bool was_there = std::filesystem::exists(path);
  const bool opened = std::ofstream(path, std::ios::app).is_open();
  if (!opened) throw IOError(fmt::format("[bench] cannot write {}", path));
  if (!was_there) std::filesystem::remove(path);
}

Report::Report(std::string path, Wanted wanted, Row source)
    : path_(std::move(path)), wanted_(std::move(wanted)), source_(std::move(source)) {
  if (path_.empty()) return;
  require_writable(path_ + ".part");
  if (!std::filesystem::exists(path_)) return;
  std::ifstream file(path_);
  try {
    rows_ = nlohmann::ordered_json::parse(file);
  } catch (const nlohmann::json::exception& error) {
    throw IOError(
        fmt::format("[bench] {} is no JSON of an earlier run ({}); move it away", path_, error.what()));
  }
  if (!rows_.is_array() || !std::ranges::all_of(rows_, [](const Row& row) { return row.is_object(); }))
    throw IOError(fmt::format("[bench] {} is no list of rows; move it away", path_));
}

bool Report::is_wanted(const Row& row) const {
  const auto unlike = [&](const char* key, std::int64_t tile) {
    return tile > 0 && row.value(key, std::int64_t{0}) != tile;
  };
  const std::string& name = wanted_.schedule;
  if (!name.empty() && row.value("operation", "") != name && row.value("schedule", "") != name) return false;
  return !unlike("tile_samples", wanted_.tile_samples) && !unlike("tile_centers", wanted_.tile_centers);
}

bool Report::has(const Row& row) {
  if (!is_wanted(row)) {
    const std::string name = name_of(row);
    if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
    return true;
  }
  found_ = true;
  Row wanted = row;
  wanted["source"] = source_;
  for (const Row& known : rows_) {
    if (!same_question(known, wanted)) continue;
    const std::string head = head_of(known);
    if (!added_.contains(head) && told_.insert(head).second) {
      fmt::print("kept from {}: {}\n", path_, head);
    }
    return true;
  }
  return false;
}

void Report::require_found() const {
  if (found_ || names_.empty()) return;
  std::string wanted = wanted_.schedule.empty() ? "" : fmt::format(" --only \"{}\"", wanted_.schedule);
  if (wanted_.tile_samples > 0) wanted += fmt::format(" --tile-samples {}", wanted_.tile_samples);
  if (wanted_.tile_centers > 0) wanted += fmt::format(" --tile-centers {}", wanted_.tile_centers);
  throw ValueError(fmt::format("[bench] no row is{}; there are: {}", wanted, fmt::join(names_, ", ")));
}

void Report::add(Row row) {
  std::puts(text(row).c_str());
  std::fflush(stdout);
  added_.insert(head_of(row));
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
