#pragma once

#include <string>
#include <vector>

namespace tessera::test {

struct Outcome {
  int status = 0;  ///< the exit status; 128 + the number of the signal that ended it
  std::string output;
};

/// Runs a program with TESSERA_DEVICE_PATH set (unset where empty) in another working directory if one is
/// given, and collects what it writes to stdout and stderr.
Outcome run_program(const std::vector<std::string>& command, const std::string& device_path,
                    const std::string& directory = "");

}  // namespace tessera::test
