#pragma once

#include <string>
#include <string_view>

namespace tessera::cli {

/// A message of the k-means library or of its threads with the options in it as they are typed: `n_clusters`
/// becomes `--clusters`, the samples `x` become `--input`. Any other message stays as it is.
std::string as_typed(std::string_view message);

}  // namespace tessera::cli
