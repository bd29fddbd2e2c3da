#pragma once

#include <cstdint>
#include <optional>

#include <tessera/array.hpp>

namespace tessera {

struct CreationOptions {
  /// Where empty: float32 (arange: int64 for integer arguments; full: by the value, float32 for floats).
  std::optional<DType> dtype = {};
  Device device = default_device();
};

struct LikeOptions {
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};

/// Values unspecified.
TESSERA_API Array empty(const Shape& shape, const CreationOptions& options = {});
TESSERA_API Array zeros(const Shape& shape, const CreationOptions& options = {});
TESSERA_API Array ones(const Shape& shape, const CreationOptions& options = {});
TESSERA_API Array full(const Shape& shape, Scalar value, const CreationOptions& options = {});
/// Ones on diagonal k of an n_rows x n_cols matrix, zeros elsewhere.
TESSERA_API Array eye(std::int64_t n_rows, const CreationOptions& options = {});
TESSERA_API Array eye(std::int64_t n_rows, std::int64_t n_cols, std::int64_t k,
                      const CreationOptions& options = {});
/// start, start + step, ... up to but without stop.
TESSERA_API Array arange(Scalar stop, const CreationOptions& options = {});
TESSERA_API Array arange(Scalar start, Scalar stop, Scalar step = 1, const CreationOptions& options = {});
struct LinspaceOptions {
  bool endpoint = true;
  std::optional<DType> dtype = {};
  Device device = default_device();
};
/// `num` evenly spaced values from start to stop; the last is exactly stop if `endpoint`.
TESSERA_API Array linspace(double start, double stop, std::int64_t num, const LinspaceOptions& options = {});

TESSERA_API Array empty_like(const Array& x, const LikeOptions& options = {});
TESSERA_API Array zeros_like(const Array& x, const LikeOptions& options = {});
TESSERA_API Array ones_like(const Array& x, const LikeOptions& options = {});
TESSERA_API Array full_like(const Array& x, Scalar value, const LikeOptions& options = {});

}  // namespace tessera
