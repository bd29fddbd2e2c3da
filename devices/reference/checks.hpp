#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/device.hpp>

namespace tessera::reference {

/// Holds a call to what device.hpp says that core has checked. Each function throws Error where the promise
/// is broken: that is a fault of the caller in core or in a test, not of the user.
class Check {
 public:
  /// `kernel` names the call in messages: "binary add".
  explicit Check(std::string kernel) : kernel_(std::move(kernel)) {}

  void that(bool holds, std::string_view promise) const;
  void rank(const char* argument, const View& view, int rank) const;
  void dtype(const char* argument, const View& view, DType dtype) const;
  void shape(const char* argument, const View& view, const Shape& shape) const;
  void input(const char* argument, const View& view) const;
  /// No two elements in one place, and no overlap with an input, but that `may_alias` allows the very same
  /// elements.
  void output(const char* argument, const View& view, std::initializer_list<const View*> inputs,
              bool may_alias) const;

  /// `indices` (int64, any rank) counted from the front, in row-major order. Throws IndexError where one is
  /// outside an axis of that length.
  std::vector<std::int64_t> positions(const View& indices, std::int64_t length) const;

 private:
  [[noreturn]] void fail(const std::string& text) const;

  std::string kernel_;
};

/// "binary add".
template <class Op>
std::string kernel_name(const char* kernel, Op op) {
  return std::string(kernel) + " " + std::string(name(op));
}

/// The dtypes of sum and prod: see ReduceOp.
bool accumulates_into(DType from, DType to);

}  // namespace tessera::reference
