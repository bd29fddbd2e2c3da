#include "typed.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace tessera::cli {

namespace {

struct Option {
  std::string_view argument;
  std::string_view typed;
  bool only_first;  ///< is a word like any other unless the message begins with it
};

constexpr Option kOptions[] = {
    {"x", "--input", false},
    {"n_clusters", "--clusters", false},
    {"n_init", "--n-init", false},
    {"max_iter", "--max-iter", false},
    {"sample_weight", "--weights", false},
    {"tile_samples", "--tile-samples", false},
    {"tile_centers", "--tile-centers", false},
    {"tol", "--tol", true},
    {"init", "--init", true},
    {"centers", "--centers", true},
    {"threads", "--threads", true},
};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view typed(std::string_view word, bool first) {
  const auto* const known = std::find_if(std::begin(kOptions), std::end(kOptions),
                                         [&](const Option& option) { return option.argument == word; });
  return known != std::end(kOptions) && (first || !known->only_first) ? known->typed : word;
}

}  // namespace

std::string as_typed(std::string_view message) {
  std::string_view rest;
  for (const std::string_view operation : {"[kmeans] ", "[set_num_threads] "}) {
    if (message.substr(0, operation.size()) == operation) rest = message.substr(operation.size());
  }
  if (rest.empty()) return std::string(message);
  std::string text;
  while (!rest.empty()) {
    const auto* const end = std::find_if_not(rest.begin(), rest.end(), in_word);
    const auto length = static_cast<std::size_t>(end - rest.begin());
    // What follows a bracket is code for those who call the library.
    const bool called = !text.empty() && text.back() == '(';
    const std::string_view word = rest.substr(0, length);
    text += called ? word : typed(word, text.empty());
    rest.remove_prefix(length);
    if (rest.empty()) break;
    text += rest.front();
    rest.remove_prefix(1);
  }
  return text;
}

}  // namespace tessera::cli
