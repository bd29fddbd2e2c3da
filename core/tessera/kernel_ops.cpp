#include <tessera/kernel_ops.hpp>

#include <array>

namespace tessera {
namespace {

template <class Op>
struct Row {
  std::string_view name;
  Accepts accepts;
  Gives gives;
};

#define TESSERA_ROW(name, accepts, gives) {#name, Accepts::accepts, Gives::gives},
constexpr std::array<Row<UnaryOp>, kUnaryOpCount> kUnaryRows = {{TESSERA_UNARY_OPS(TESSERA_ROW)}};
constexpr std::array<Row<BinaryOp>, kBinaryOpCount> kBinaryRows = {{TESSERA_BINARY_OPS(TESSERA_ROW)}};
#undef TESSERA_ROW

// A count that is too large would leave an empty row.
static_assert(!kUnaryRows.back().name.empty() && !kBinaryRows.back().name.empty());

constexpr std::array<std::string_view, kReduceOpCount> kReduceNames = {"sum", "prod", "min",
                                                                       "max", "any",  "all"};
constexpr std::array<std::string_view, kArgReduceOpCount> kArgReduceNames = {"argmin", "argmax"};
constexpr std::array<std::string_view, kScanOpCount> kScanNames = {"cumulative_sum", "cumulative_prod"};
constexpr std::array<std::string_view, kScatterOpCount> kScatterNames = {"scatter_set", "scatter_add",
                                                                         "scatter_min", "scatter_max"};

}  // namespace

std::string_view name(UnaryOp op) {
  return kUnaryRows[static_cast<std::size_t>(op)].name;
}
std::string_view name(BinaryOp op) {
  return kBinaryRows[static_cast<std::size_t>(op)].name;
}
std::string_view name(ReduceOp op) {
  return kReduceNames[static_cast<std::size_t>(op)];
}
std::string_view name(ArgReduceOp op) {
  return kArgReduceNames[static_cast<std::size_t>(op)];
}
std::string_view name(ScanOp op) {
  return kScanNames[static_cast<std::size_t>(op)];
}
std::string_view name(ScatterOp op) {
  return kScatterNames[static_cast<std::size_t>(op)];
}

Accepts accepts(UnaryOp op) {
  return kUnaryRows[static_cast<std::size_t>(op)].accepts;
}
Accepts accepts(BinaryOp op) {
  return kBinaryRows[static_cast<std::size_t>(op)].accepts;
}
Gives gives(UnaryOp op) {
  return kUnaryRows[static_cast<std::size_t>(op)].gives;
}
Gives gives(BinaryOp op) {
  return kBinaryRows[static_cast<std::size_t>(op)].gives;
}

bool accepted(Accepts accepts, DType dtype) {
  switch (accepts) {
    case Accepts::any: return true;
    case Accepts::numeric: return is_numeric(dtype);
    case Accepts::signed_numeric: return is_numeric(dtype) && !is_unsigned_integer(dtype);
    case Accepts::floating: return is_floating(dtype);
    case Accepts::integer: return is_integer(dtype);
    case Accepts::integer_or_bool: return is_integer(dtype) || is_bool(dtype);
    case Accepts::boolean: return is_bool(dtype);
  }
  return false;
}

std::string_view describe(Accepts accepts) {
  switch (accepts) {
    case Accepts::any: return "any dtype";
    case Accepts::numeric: return "a numeric dtype";
    case Accepts::signed_numeric: return "a signed numeric dtype";
    case Accepts::floating: return "a floating-point dtype";
    case Accepts::integer: return "an integer dtype";
    case Accepts::integer_or_bool: return "an integer dtype or bool";
    case Accepts::boolean: return "bool";
  }
  return "";
}

}  // namespace tessera
