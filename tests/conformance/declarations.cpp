#include "conformance/declarations.hpp"

#include <cctype>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace tessera::test {

std::string header_text(const std::string& header) {
  const std::ifstream file(TESSERA_SOURCE_DIR "/core/tessera/" + header);
  EXPECT_TRUE(file) << "cannot read " << header;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> declared_functions(const std::string& text, const std::string& prefix) {
  std::vector<std::string> names;
  const std::string start = prefix + " ";
  for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const auto first = at + start.size();
    auto last = first;
    while (last < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[last])) != 0 || text[last] == '_'))
      ++last;
    if (last > first && text[last] == '(') names.push_back(text.substr(first, last - first));
  }
  return names;
}

}  // namespace tessera::test
