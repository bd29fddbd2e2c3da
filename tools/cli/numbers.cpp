#include "numbers.hpp"

#include <charconv>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace tessera::cli {

namespace {

/// `text` without leading zeros, which the command line's parser takes for octal.
template <class T>
bool parsed(std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if constexpr (std::is_integral_v<T>) text = std::to_string(value);
  return true;
}

}  // namespace

CLI::Validator whole_number(std::int64_t lowest, std::int64_t highest) {
  const auto check = [=](std::string& text) -> std::string {
    std::int64_t value = 0;
    if (parsed(text, value) && value >= lowest && value <= highest) return "";
    return fmt::format("\"{}\" is no whole number from {} to {}", text, lowest, highest);
  };
  return {check, "", "whole number"};
}

CLI::Validator seed_number() {
  const auto check = [](std::string& text) -> std::string {
    std::uint64_t value = 0;
    if (parsed(text, value)) return "";
    return fmt::format("\"{}\" is no whole number from 0 to {}", text,
                       std::numeric_limits<std::uint64_t>::max());
  };
  return {check, "", "seed"};
}

CLI::Validator real_number() {
  const auto check = [](std::string& text) -> std::string {
    double value = 0;
    if (parsed(text, value)) return "";
    return fmt::format("\"{}\" is no number", text);
  };
  return {check, "", "number"};
}

}  // namespace tessera::cli
