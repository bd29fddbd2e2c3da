#include <tessera/scalar.hpp>

#include <fmt/format.h>

namespace tessera {

DType Scalar::default_dtype() const {
  switch (type_) {
    case Type::boolean: return DType::bool_;
    case Type::integer: return DType::int64;
    case Type::unsigned_integer: return int_ < 0 ? DType::uint64 : DType::int64;
    case Type::floating: break;
  }
  return DType::float64;
}

std::string Scalar::to_string() const {
  switch (type_) {
    case Type::boolean: return int_ != 0 ? "true" : "false";
    case Type::integer: return fmt::format("{}", int_);
    case Type::unsigned_integer: return fmt::format("{}", static_cast<std::uint64_t>(int_));
    case Type::floating: break;
  }
  return fmt::format("{}", float_);
}

}  // namespace tessera
