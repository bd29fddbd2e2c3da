#include <charconv>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <tessera/array.hpp>
#include <tessera/error.hpp>
#include <tessera/funnel.hpp>
#include <tessera/ops/indexing.hpp>
#include <tessera/ops/manipulation.hpp>
#include <tessera/trace/tracer.hpp>

// NumPy's rendering of arrays with its default options: 8 digits after the point at most, fewer where fewer
// name the value, one format for a whole array; more than 1000 elements are shortened to the corners.

namespace tessera {
namespace {

constexpr int kPrecision = 8;
constexpr std::int64_t kThreshold = 1000;
constexpr std::int64_t kEdgeItems = 3;
constexpr std::size_t kLineWidth = 75;

// ---- one floating-point number

/// Sign, digits before and after the point, and "e+08" or nothing.
struct Number {
  std::string whole;
  std::string fraction;
  std::string exponent;
};

template <class T, class... Format>
std::string characters(T value, Format... format) {
  char text[512];  // 309 digits before the point at most
  const auto result = std::to_chars(text, text + sizeof text, value, format...);
  if (result.ec != std::errc{}) throw ValueError("[print] a number needs more than 512 characters");
  return {text, result.ptr};
}

Number split_number(const std::string& text) {
  const std::size_t exponent = std::min(text.find('e'), text.size());
  const std::size_t point = std::min(text.find('.'), exponent);
  const std::size_t fraction = std::min(point + 1, exponent);
  return {text.substr(0, point), text.substr(fraction, exponent - fraction), text.substr(exponent)};
}

void trim_zeros(std::string& fraction) {
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
}

/// The shortest digits that name the value among its type's, cut (and rounded) after `precision`.
template <class T>
Number number(T value, std::chars_format format, int precision) {
  Number result = split_number(characters(value, format));
  if (static_cast<int>(result.fraction.size()) > precision) {
    result = split_number(characters(value, format, precision));
    trim_zeros(result.fraction);
  }
  return result;
}

// ---- one format for all numbers of an array

template <class T>
bool needs_exponents(const std::vector<T>& values) {
  T least = std::numeric_limits<T>::infinity();
  T most = 0;
  for (const T value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    least = std::min(least, std::abs(value));
    most = std::max(most, std::abs(value));
  }
  const T too_large = std::is_same_v<T, float> ? T(1e6) : T(1e8);
  return most > 0 && (most >= too_large || least < T(0.0001) || most / least > T(1000));
}

template <class T>
std::vector<std::string> float_words(const std::vector<T>& values) {
  const bool exponents = needs_exponents(values);
  const auto format = exponents ? std::chars_format::scientific : std::chars_format::fixed;
  std::vector<Number> numbers(values.size());
  std::size_t whole = 0;
  std::size_t fraction = 0;
  std::size_t exponent = 0;
  bool any_finite = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    any_finite = true;
    numbers[i] = number(values[i], format, kPrecision);
    whole = std::max(whole, numbers[i].whole.size());
    fraction = std::max(fraction, numbers[i].fraction.size());
    exponent = std::max(exponent, numbers[i].exponent.size());
  }
  // Where nothing is finite the words stand alone: NumPy counts the point even so.
  const std::size_t tail = any_finite ? 1 + fraction + exponent : 1;
  std::size_t width = whole + tail;
  for (const T value : values) {
    if (!std::isfinite(value)) width = std::max<std::size_t>(width, value < 0 ? 4 : 3);
  }
  std::vector<std::string> words(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    Number& n = numbers[i];
    std::string& word = words[i];
    if (!std::isfinite(values[i])) {
      word = std::isnan(values[i]) ? "nan" : values[i] < 0 ? "-inf" : "inf";
    } else if (exponents) {
      n.fraction.append(fraction - n.fraction.size(), '0');
      n.exponent.insert(2, exponent - n.exponent.size(), '0');
      word = n.whole + "." + n.fraction + n.exponent;
    } else {
      word = n.whole + "." + n.fraction + std::string(fraction - n.fraction.size(), ' ');
    }
    word.insert(0, width - word.size(), ' ');
  }
  return words;
}

/// A number alone, as Python prints it.
template <class T>
std::string float_scalar(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double size = std::abs(static_cast<double>(value));
  if (size == 0 || (size >= 1e-4 && size < 1e16)) {
    const Number n = split_number(characters(value, std::chars_format::fixed));
    return n.whole + "." + (n.fraction.empty() ? "0" : n.fraction);
  }
  return characters(value, std::chars_format::scientific);
}

// ---- words of an array

void pad_left(std::vector<std::string>& words) {
  std::size_t width = 0;
  for (const std::string& word : words) width = std::max(width, word.size());
  for (std::string& word : words) word.insert(0, width - word.size(), ' ');
}

std::vector<std::string> bool_words(const Array& x) {
  const auto count = static_cast<std::size_t>(x.size());
  const std::unique_ptr<bool[]> values(new bool[count]);
  x.to_host(values.get(), DType::bool_, x.size());
  std::vector<std::string> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = !values[i] ? "False" : x.ndim() == 0 ? "True" : " True";
  return words;
}

std::vector<std::string> element_words(const Array& x) {
  return visit_dtype(x.dtype(), [&]<class T>(T) -> std::vector<std::string> {
    if constexpr (std::is_same_v<T, bool>) {
      return bool_words(x);
    } else if constexpr (std::is_floating_point_v<T>) {
      return float_words(x.to_host<T>());
    } else {
      std::vector<std::string> words;
      for (const T value : x.to_host<T>()) words.push_back(characters(value));
      pad_left(words);
      return words;
    }
  });
}

/// The first and the last three positions of each longer axis.
Array corners(Array x) {
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const std::int64_t extent = x.shape(axis);
    if (extent <= 2 * kEdgeItems) continue;
    const Array first = view_of(x, slice(x.layout(), axis, 0, kEdgeItems, 1));
    const Array last = view_of(x, slice(x.layout(), axis, extent - kEdgeItems, kEdgeItems, 1));
    x = concat({first, last}, {.axis = axis});
  }
  return x;
}

// ---- brackets and lines

class Renderer {
 public:
  Renderer(const Array& x, std::string separator) : separator_(std::move(separator)), shape_(x.shape()) {
    const bool shorten = x.size() > kThreshold;
    const Array shown = shorten ? corners(x) : x;
    for (int i = 0; i < x.ndim(); ++i) shortened_.push_back(shown.shape(i) < x.shape(i));
    shape_ = shown.shape();
    words_ = element_words(shown);
    bare_separator_ = separator_.substr(0, separator_.find_last_not_of(' ') + 1);
  }

  std::string render(const std::string& indent, std::size_t width) {
    next_ = 0;
    return render(0, indent, width);
  }

 private:
  std::string render(int axis, const std::string& indent, std::size_t width) {
    if (axis == shape_.size()) return words_[next_++];
    const std::string text =
        axis == shape_.size() - 1 ? render_row(axis, indent, width) : render_rows(axis, indent, width);
    return "[" + text.substr(indent.size()) + "]";
  }

  std::string render_row(int axis, const std::string& indent, std::size_t width) {
    std::string done;
    std::string line = indent;
    const auto append = [&](const std::string& word) {
      if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
        done += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word;
    };
    for (std::int64_t i = 0; i < shape_[axis]; ++i) {
      if (i > 0) line += separator_;
      if (dots_before(axis, i)) {
        append("...");
        line += separator_;
      }
      append(words_[next_++]);
    }
    return done + line;
  }

  std::string render_rows(int axis, const std::string& indent, std::size_t width) {
    const std::string between =
        bare_separator_ + std::string(static_cast<std::size_t>(shape_.size() - axis - 1), '\n');
    std::string text;
    for (std::int64_t i = 0; i < shape_[axis]; ++i) {
      if (i > 0) text += between;
      if (dots_before(axis, i)) text += indent + "..." + between;
      text += indent + render(axis + 1, indent + ' ', width - 1);
    }
    return text;
  }

  bool dots_before(int axis, std::int64_t i) const { return shortened_[axis] != 0 && i == kEdgeItems; }

  std::string separator_;
  std::string bare_separator_;
  Shape shape_;     ///< of what is shown
  Dims shortened_;  ///< for each axis whether its middle is left out
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

std::string scalar_text(const Array& x) {
  if (x.dtype() == DType::float32) return float_scalar(x.to_host<float>().front());
  if (x.dtype() == DType::float64) return float_scalar(x.to_host<double>().front());
  return element_words(x).front();
}

}  // namespace

std::string to_string(const Array& x) {
  require_array("to_string", "x", x);
  trace::require_values("to_string", x);
  const trace::Pause eager;
  if (x.size() == 0) return "[]";
  if (x.ndim() == 0) return scalar_text(x);
  return Renderer(x, " ").render(" ", kLineWidth);
}

std::ostream& operator<<(std::ostream& stream, const Array& x) {
  if (!x.valid()) return stream << "array(none)";
  trace::require_values("print", x);
  const trace::Pause eager;
  const std::string prefix = "array(";
  std::string text = prefix;
  if (x.size() == 0) {
    text += "[]";
  } else if (x.ndim() == 0) {
    text += element_words(x).front();
  } else {
    text += Renderer(x, ", ").render(std::string(prefix.size() + 1, ' '), kLineWidth - 1);
  }
  text += ",";
  std::string extras;
  if ((x.size() == 0 && x.ndim() > 1) || x.size() > kThreshold) {
    extras = fmt::format("shape={}, ", to_string(x.shape()));
  }
  extras += fmt::format("dtype={}, device={})", name(x.dtype()), x.device().name());
  const std::size_t last_line = text.size() - (text.rfind('\n') + 1);
  text += last_line + extras.size() + 1 > kLineWidth ? "\n" + std::string(prefix.size(), ' ') : " ";
  return stream << text << extras;
}

}  // namespace tessera
