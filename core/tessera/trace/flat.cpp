#include <tessera/trace/flat.hpp>

namespace tessera::trace {

std::optional<Flat> flatten(const Layout& layout, const Shape& shape) {
  const auto spread = broadcast(layout, shape);
  if (!spread) return std::nullopt;
  Flat flat;
  flat.offset = spread->offset;
  for (int i = 0; i < spread->rank(); ++i) {
    const std::int64_t extent = spread->shape[i];
    const std::int64_t stride = spread->strides[i];
    if (extent == 1) continue;
    const int last = flat.rank - 1;
    if (last >= 0 && flat.strides[last] == extent * stride) {
      flat.shape[last] *= extent;
      flat.strides[last] = stride;
      continue;
    }
    if (flat.rank == 2) return std::nullopt;
    flat.shape[flat.rank] = extent;
    flat.strides[flat.rank++] = stride;
  }
  return flat;
}

Layout matrix_layout(const Flat& flat, std::int64_t rows, std::int64_t columns) {
  if (flat.rank == 2) return {{rows, columns}, {flat.strides[0], flat.strides[1]}, flat.offset};
  return {{rows, columns}, {flat.strides[0] * columns, flat.strides[0]}, flat.offset};
}

Layout row_layout(const Flat& flat, std::int64_t rows) {
  return {{rows, 1}, {flat.strides[0], 1}, flat.offset};
}

}  // namespace tessera::trace
