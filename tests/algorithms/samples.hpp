#pragma once

// Samples that tests cluster, and the forms that a tiny input is run in.

#include <string>
#include <vector>

#include "oracle.hpp"
#include "support/devices.hpp"

namespace tessera::test {

/// A tiny input may take another path than a large one, so each runs in four forms: as it is, every sample
/// many times over, with zero features up to 64, and both.
struct Form {
  bool copies = false;
  bool padded = false;
};
inline constexpr Form kForms[] = {{false, false}, {true, false}, {false, true}, {true, true}};
std::string describe(const Form& form);

/// Devices that run plain loops get smaller problems.
bool is_slow(const Device& device);

/// How often each sample occurs in a form, so that there are more than 20000 of them (2100 where slow).
std::int64_t copies(const Form& form, std::int64_t samples, const Device& device);
/// All samples, then all of them again, and so on.
Matrix repeated(const Matrix& x, std::int64_t times);
template <class T>
std::vector<T> repeated(const std::vector<T>& values, std::int64_t times) {
  std::vector<T> all;
  for (std::int64_t i = 0; i < times; ++i) all.insert(all.end(), values.begin(), values.end());
  return all;
}
/// Zero features after those there are.
Matrix padded(const Matrix& x, const Form& form);

/// offset + spread * N(0, 1), the same everywhere.
Matrix normal_samples(std::int64_t n, std::int64_t d, double offset = 0, double spread = 1,
                      std::uint64_t seed = 1);
/// Some blobs, spread 1, in a box of side 20 about `offset`.
Matrix blobs(std::int64_t n, std::int64_t d, std::int64_t k, double offset = 0, std::uint64_t seed = 1);
/// Some of the rows.
Matrix first_rows(const Matrix& x, std::int64_t count);

}  // namespace tessera::test
