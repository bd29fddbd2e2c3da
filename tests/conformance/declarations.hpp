#pragma once

#include <string>
#include <vector>

namespace tessera::test {

/// The text of a header, by its path below core/tessera. Fails the test where it cannot be read.
std::string header_text(const std::string& header);

/// The names of the functions that are declared as `prefix NAME(` in a text, in order.
std::vector<std::string> declared_functions(const std::string& text, const std::string& prefix);

}  // namespace tessera::test
