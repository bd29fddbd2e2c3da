#include "samples.hpp"

#include <cmath>
#include <numbers>

#include "support/arrays.hpp"

namespace tessera::test {

std::string describe(const Form& form) {
  return std::string(form.copies ? "many copies" : "as it is") +
         (form.padded ? ", padded to 64 features" : "");
}

bool is_slow(const Device& device) {
  const std::string& name = device.name();
  return name.starts_with("reference") || name.starts_with("fake") || name.starts_with("cuda-emulated");
}

std::int64_t copies(const Form& form, std::int64_t samples, const Device& device) {
  return form.copies ? (is_slow(device) ? 2100 : 20100) / samples + 1 : 1;
}

Matrix repeated(const Matrix& x, std::int64_t times) {
  Matrix all;
  all.rows = x.rows * times;
  all.columns = x.columns;
  all.values = repeated(x.values, times);
  return all;
}

Matrix padded(const Matrix& x, const Form& form) {
  if (!form.padded) return x;
  Matrix wide(x.rows, 64);
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = 0; j < x.columns; ++j) wide.at(i, j) = x.at(i, j);
  }
  return wide;
}

Matrix normal_samples(std::int64_t n, std::int64_t d, double offset, double spread, std::uint64_t seed) {
  Numbers numbers(seed);
  Matrix x(n, d);
  for (double& value : x.values) {
    const double radius = std::sqrt(-2 * std::log(1 - numbers.uniform()));
    value = offset + spread * radius * std::cos(2 * std::numbers::pi * numbers.uniform());
  }
  return x;
}

Matrix blobs(std::int64_t n, std::int64_t d, std::int64_t k, double offset, std::uint64_t seed) {
  Numbers numbers(seed + 1000);
  Matrix middles(k, d);
  for (double& value : middles.values) value = offset + 20 * (numbers.uniform() - 0.5);
  Matrix x = normal_samples(n, d, 0, 1, seed);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t blob = numbers.between(0, k - 1);
    for (std::int64_t j = 0; j < d; ++j) x.at(i, j) += middles.at(blob, j);
  }
  return x;
}

Matrix first_rows(const Matrix& x, std::int64_t count) {
  Matrix some(count, x.columns);
  some.values.assign(x.values.begin(), x.values.begin() + count * x.columns);
  return some;
}

}  // namespace tessera::test
