#include <CLI/CLI.hpp>

#include "command.hpp"

namespace tessera::cli {

void add_kmeans_command(CLI::App& /*app*/, Action& /*action*/) {}

}  // namespace tessera::cli
