#include <tessera/io/npy_header.hpp>

#include <bit>
#include <charconv>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include <tessera/error.hpp>

namespace tessera::npy {
namespace {

static_assert(std::endian::native == std::endian::little, "byte orders are told from little-endian's side");

/// NumPy's letter and size: "b1", "i8", "u2", "f4".
std::optional<DType> dtype_of_code(std::string_view code) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    constexpr char kLetters[] = {'b', 'i', 'u', 'f'};
    const char letter = kLetters[static_cast<int>(kind(dtype))];
    if (code == fmt::format("{}{}", letter, itemsize(dtype))) return dtype;
  }
  return std::nullopt;
}

/// Reads the one form of Python literal that a header is: a dict of a string, a bool and a tuple.
class Parser {
 public:
  Parser(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  Header parse() {
    expect('{', "a dict");
    while (!accept('}')) {
      const std::string_view key = string("a key in quotes");
      expect(':', "a colon after the key");
      if (key == "descr" && !seen_descr_) {
        seen_descr_ = true;
        parse_descr();
      } else if (key == "fortran_order" && !seen_order_) {
        seen_order_ = true;
        header_.fortran_order = boolean();
      } else if (key == "shape" && !seen_shape_) {
        seen_shape_ = true;
        parse_shape();
      } else {
        fail(fmt::format("its header has the key '{}' {}", key,
                         key == "descr" || key == "fortran_order" || key == "shape" ? "twice" : "too many"));
      }
      if (!accept(',') && peek() != '}') fail("its header is not a dict: a comma or } is missing");
    }
    skip_spaces();
    if (!text_.empty()) fail("its header goes on after the dict");
    if (!seen_descr_ || !seen_order_ || !seen_shape_) {
      fail(fmt::format("its header has no key '{}'", !seen_descr_   ? "descr"
                                                     : !seen_order_ ? "fortran_order"
                                                                    : "shape"));
    }
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw IOError(fmt::format(
        "[load_npy] \"{}\" is malformed: {}; write it again with numpy.save or save_npy", path_, what));
  }
  [[noreturn]] void unsupported(const std::string& what) const {
    throw IOError(
        fmt::format("[load_npy] \"{}\" holds {}, which has no dtype here; convert it to one of bool, int8 .. "
                    "int64, uint8 .. uint64, float32, float64 with NumPy's astype",
                    path_, what));
  }

  void skip_spaces() {
    const std::size_t kept = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(kept == std::string_view::npos ? text_.size() : kept);
  }
  char peek() {
    skip_spaces();
    return text_.empty() ? '\0' : text_.front();
  }
  bool accept(char c) {
    if (peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c, const char* what) {
    if (!accept(c))
      fail(fmt::format("its header is not a dict of descr, fortran_order and shape: expected {}", what));
  }
  std::string_view string(const char* what) {
    const char quote = peek();
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos) {
      fail(fmt::format("its header is not a dict of descr, fortran_order and shape: expected {}", what));
    }
    const std::string_view result = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return result;
  }
  bool boolean() {
    skip_spaces();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return word == "True";
    }
    fail("fortran_order is neither True nor False");
  }

  void parse_descr() {
    if (peek() == '[') unsupported("a structured array");
    const std::string_view descr = string("descr in quotes");
    if (descr.empty()) fail("descr is empty");
    const bool has_order = std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
    const std::string_view code = has_order ? descr.substr(1) : descr;
    if (code == "O") unsupported("Python objects (descr '" + std::string(descr) + "')");
    const std::optional<DType> dtype = dtype_of_code(code);
    if (!dtype) unsupported(fmt::format("elements of descr '{}'", descr));
    header_.dtype = *dtype;
    header_.swapped = descr.front() == '>' && itemsize(*dtype) > 1;
  }

  void parse_shape() {
    expect('(', "a tuple for shape");
    while (!accept(')')) {
      if (header_.shape.size() == kMaxRank) {
        fail(fmt::format("its shape has more than {} dimensions", kMaxRank));
      }
      header_.shape.push_back(extent());
      accept('L');  // Python 2 wrote 3L
      if (!accept(',') && peek() != ')') fail("its shape is no tuple of integers");
    }
  }
  std::int64_t extent() {
    skip_spaces();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("an extent of its shape is past 2^63 - 1");
    if (error != std::errc{}) fail("its shape is no tuple of integers");
    if (value < 0) fail(fmt::format("its shape has the negative extent {}", value));
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  const std::string& path_;
  std::string_view text_;
  Header header_;
  bool seen_descr_ = false;
  bool seen_order_ = false;
  bool seen_shape_ = false;
};

}  // namespace

std::size_t length_field_bytes(const std::string& path, std::string_view preamble) {
  if (preamble.size() < kPreambleBytes || !preamble.starts_with(kMagic)) {
    throw IOError(
        fmt::format("[load_npy] \"{}\" is no .npy file: it does not begin with \\x93NUMPY; write it with "
                    "numpy.save or save_npy",
                    path));
  }
  const int major = static_cast<unsigned char>(preamble[6]);
  const int minor = static_cast<unsigned char>(preamble[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw IOError(fmt::format("[load_npy] \"{}\" has version {}.{} of the format; expected 1.0, 2.0 or 3.0",
                              path, major, minor));
  }
  return major == 1 ? 2 : 4;
}

std::size_t decode_length(std::string_view field) {
  std::size_t length = 0;
  for (std::size_t i = field.size(); i-- > 0;) length = length << 8 | static_cast<unsigned char>(field[i]);
  return length;
}

Header parse_header(const std::string& path, std::string_view text) {
  return Parser(path, text).parse();
}

std::string make_header(DType dtype, const Shape& shape) {
  constexpr char kLetters[] = {'b', 'i', 'u', 'f'};
  std::string dict = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': {}, }}",
                                 itemsize(dtype) == 1 ? '|' : '<', kLetters[static_cast<int>(kind(dtype))],
                                 itemsize(dtype), to_string(shape));
  const std::size_t unpadded = kPreambleBytes + 2 + dict.size() + 1;
  dict.append((64 - unpadded % 64) % 64, ' ');
  dict += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\0';
  // At most 16 extents of 19 digits: two bytes hold the length.
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

}  // namespace tessera::npy
