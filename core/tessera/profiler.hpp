#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tessera/export.hpp>

namespace tessera {

/// One line of a profile: all calls of one kernel for one public operation on one device.
struct ProfileRow {
  std::string operation;  ///< "matmul"
  std::string kernel;     ///< "matmul", "copy", ...
  std::string device;
  std::int64_t calls = 0;
  double seconds = 0;
  double bytes = 0;  ///< read and written, each element once
  double flops = 0;  ///< of products
};

/// Records what runs while it lives, in the whole process; each kernel is waited for. Also on for a whole
/// run with TESSERA_PROFILE=1, which prints the table at the end.
class TESSERA_API Profiler {
 public:
  Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;
  ~Profiler();
  /// Most seconds first.
  std::vector<ProfileRow> rows() const;
  /// As a table, with GB/s and GFLOP/s.
  std::string table() const;

  struct Recording;

 private:
  std::shared_ptr<Recording> recording_;
};

}  // namespace tessera
