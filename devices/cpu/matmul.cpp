#include <algorithm>
#include <cstring>
#include <thread>
#include <type_traits>
#include <vector>

#include "devices/cpu/blis.hpp"
#include "devices/cpu/block_product.hpp"
#include "devices/cpu/cpu_device.hpp"
#include "devices/cpu/integer_product.hpp"
#include "devices/cpu/output_block.hpp"
#include "devices/cpu/product_kernels.hpp"
#include "devices/cpu/threads.hpp"

// Who computes a product of floats:
//
//   n = 1                       lanes_dots    reads x once
//   few rows                    chain_columns reads y once, packs it a cache-sized piece at a time
//   few columns                 chain_rows    reads x once where it lies, y packed once for all tasks
//   all others                  blis_gemm     on blocks of the output
//
// The last three sum in one and the same order, which follows from k alone. So an element of the result has
// the same bits whichever of them computes it: it depends neither on m, nor on where the output is cut, nor
// on layouts or threads, and the choice between the three may follow speed alone.

namespace tessera::cpu {
namespace {

/// Multiply-adds that take about as long as one element of kSerialWork.
constexpr std::int64_t kProductsAnElement = 8;
/// Multiply-adds of a task where there is a choice.
constexpr std::int64_t kTaskProducts = std::int64_t{1} << 21U;
constexpr std::int64_t kFewRows = 64;
constexpr std::int64_t kFewColumns = 128;
constexpr std::int64_t kFewestColumns = 16;
/// With fewer products than this for each element of a wide output, chain_rows does little but to write it.
constexpr std::int64_t kShortInner = 32;
/// The right operand's panels, while all rows pass over them.
constexpr std::int64_t kPanelBytes = std::int64_t{256} << 10U;

/// out[b] = x[b] @ y[b].
template <class T>
struct Product {
  std::int64_t batch, m, n, k;
  Matrix<const T> x, y;
  Matrix<T> out;
  std::int64_t x_batch, y_batch, out_batch;  ///< strides

  std::int64_t size() const { return m * n * k; }
  Matrix<const T> x_of(std::int64_t b) const { return {x.data + b * x_batch, x.row_stride, x.column_stride}; }
  Matrix<const T> y_of(std::int64_t b) const { return {y.data + b * y_batch, y.row_stride, y.column_stride}; }
  Matrix<T> out_of(std::int64_t b) const {
    return {out.data + b * out_batch, out.row_stride, out.column_stride};
  }
};

template <class T>
Product<T> product_of(const View& x, const View& y, const View& out) {
  Product<T> p{out.shape[0],
               out.shape[1],
               out.shape[2],
               x.shape[2],
               {x.as<const T>(), x.strides[1], x.strides[2]},
               {y.as<const T>(), y.strides[1], y.strides[2]},
               {out.as<T>(), out.strides[1], out.strides[2]},
               x.strides[0],
               y.strides[0],
               out.strides[0]};
  // Batches that share y are rows of one product: rows don't depend on their neighbours.
  if (p.m == 1) {
    p.x.row_stride = p.x_batch;
    p.out.row_stride = p.out_batch;
  }
  const bool rows_follow =
      p.m == 1 || (p.x_batch == p.m * p.x.row_stride && p.out_batch == p.m * p.out.row_stride);
  if (p.batch > 1 && p.y_batch == 0 && rows_follow) {
    p.m *= p.batch;
    p.batch = 1;
  }
  return p;
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return block_count(a, b);
}

// ---- one column

/// Rows with unit column stride: those of `from`, or copies of them.
template <class T>
Matrix<const T> unit_rows(std::int64_t rows, std::int64_t k, Matrix<const T> from, T* copy) {
  if (from.column_stride == 1 || k <= 1) return {from.data, from.row_stride, 1};
  for (std::int64_t p = 0; p < k; ++p) {
    const T* const element = from.data + p * from.column_stride;
    for (std::int64_t i = 0; i < rows; ++i) copy[i * k + p] = element[i * from.row_stride];
  }
  return {copy, k, 1};
}

/// out[i] = x[i, :] . y[i, :] for m rows.
template <class T>
void row_dots(CpuDevice& device, std::int64_t m, std::int64_t k, Matrix<const T> x, Matrix<const T> y, T* out,
              std::int64_t out_stride) {
  // Rows to a task, and to a copy of them where their elements are not neighbours.
  const std::int64_t rows =
      std::max<std::int64_t>(4, (std::int64_t{64} << 10U) / std::max<std::int64_t>(k, 1));
  const bool copy_x = x.column_stride != 1;
  const bool copy_y = y.column_stride != 1 && y.row_stride != 0;
  const bool copy_one_y = y.column_stride != 1 && y.row_stride == 0;
  const Workspace one_y = device.workspace(copy_one_y ? static_cast<std::size_t>(k) * sizeof(T) : 0);
  if (copy_one_y) {
    y = unit_rows<T>(1, k, y, one_y.as<T>());
    y.row_stride = 0;
  }
  parallel_for(ceil_divide(m, rows), m * k, [&](std::int64_t block) {
    const auto [begin, end] = block_range(block, rows, m);
    const std::int64_t step = copy_x || copy_y ? std::int64_t{16} : end - begin;
    const auto room = static_cast<std::size_t>(step * k) * sizeof(T);
    const Workspace x_copy = device.workspace(copy_x ? room : 0);
    const Workspace y_copy = device.workspace(copy_y ? room : 0);
    for (std::int64_t i = begin; i < end; i += step) {
      const std::int64_t count = std::min(step, end - i);
      lanes_dots(count, k, copy_x ? unit_rows<T>(count, k, x.at(i, 0), x_copy.as<T>()) : x.at(i, 0),
                 copy_y ? unit_rows<T>(count, k, y.at(i, 0), y_copy.as<T>()) : y.at(i, 0),
                 out + i * out_stride, out_stride);
    }
  });
}

template <class T>
void one_column(CpuDevice& device, const Product<T>& p) {
  const std::int64_t y_step = p.y.row_stride;  // along k
  if (p.m == 1) {
    row_dots<T>(device, p.batch, p.k, p.x, {p.y.data, p.y_batch, y_step}, p.out.data, p.out_batch);
    return;
  }
  for (std::int64_t b = 0; b < p.batch; ++b) {
    row_dots<T>(device, p.m, p.k, p.x_of(b), {p.y_of(b).data, 0, y_step}, p.out_of(b).data, p.out.row_stride);
  }
}

// ---- few rows

template <class T>
void few_rows(const Product<T>& p, InnerBlocks blocks) {
  // Columns to a task: whole wide columns, and as many as make the task worth its while.
  constexpr std::int64_t unit = 128;
  const std::int64_t column_products = std::max<std::int64_t>(p.m * p.k, 1);
  const std::int64_t columns =
      ceil_divide(std::max<std::int64_t>(kTaskProducts / 8 / column_products, 1), unit) * unit;
  const std::int64_t pieces = ceil_divide(p.n, columns);
  // Small products share a task.
  const std::int64_t together =
      std::clamp<std::int64_t>(kTaskProducts / 8 / std::max<std::int64_t>(p.size(), 1), 1, p.batch);
  parallel_for(ceil_divide(p.batch, together) * pieces, p.batch * p.size() / kProductsAnElement,
               [&](std::int64_t task) {
                 const auto [j, j_end] = block_range(task % pieces, columns, p.n);
                 const auto [first, last] = block_range(task / pieces, together, p.batch);
                 for (std::int64_t b = first; b < last; ++b) {
                   chain_columns(p.m, j_end - j, p.k, p.x_of(b), p.y_of(b).at(0, j), blocks,
                                 p.out_of(b).at(0, j));
                 }
               });
}

// ---- few columns

/// One product of the batch: panels packed once, then all rows in parallel.
template <class T>
void few_columns(CpuDevice& device, const Product<T>& p, std::int64_t b, InnerBlocks blocks) {
  constexpr DType dtype = dtype_of<T>();
  // As many inner blocks at once as the panels' room allows: x is read once if that is all of them.
  const auto row_bytes = panel_elements(1, p.n, dtype) * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t most =
      std::max<std::int64_t>(1, kPanelBytes / (row_bytes * blocks.length)) * blocks.length;
  const bool whole = p.k <= most || p.k <= blocks.longest;
  const std::int64_t room = whole ? p.k : std::max(most, blocks.longest);
  const Workspace panels = device.workspace(static_cast<std::size_t>(room * row_bytes));

  const std::int64_t row_products = panel_elements(1, p.n, dtype) * std::min(p.k, most);
  constexpr std::int64_t unit = 48;  // rows that fill the kernels (of 6, 8 and 16 rows, strips of 18 and 24)
  const std::int64_t rows =
      ceil_divide(std::clamp<std::int64_t>(kTaskProducts / 2 / row_products, 1, 4096), unit) * unit;
  for (std::int64_t at = 0; at < p.k;) {
    const std::int64_t left = p.k - at;
    const std::int64_t length =
        whole || left <= blocks.longest ? left : std::min(most, left - left % blocks.length);
    pack_panels(length, p.n, p.y_of(b).at(at, 0), panels.as<T>());
    parallel_for(ceil_divide(p.m, rows), p.m * p.n * length / kProductsAnElement, [&](std::int64_t block) {
      const auto [i, end] = block_range(block, rows, p.m);
      chain_rows(end - i, p.n, length, p.x_of(b).at(i, at), panels.as<T>(), blocks, at == 0,
                 p.out_of(b).at(i, 0));
    });
    at += length;
  }
}

template <class T>
void few_columns(CpuDevice& device, const Product<T>& p, InnerBlocks blocks) {
  const std::int64_t large = 2 * kTaskProducts;
  if (p.batch == 1 || p.size() >= large) {
    for (std::int64_t b = 0; b < p.batch; ++b) few_columns(device, p, b, blocks);
    return;
  }
  const std::int64_t together = std::clamp<std::int64_t>(kTaskProducts / 8 / p.size(), 1, p.batch);
  parallel_for(ceil_divide(p.batch, together), p.batch * p.size() / kProductsAnElement,
               [&](std::int64_t task) {
                 const auto elements = panel_elements(p.k, p.n, dtype_of<T>());
                 const Workspace panels = device.workspace(static_cast<std::size_t>(elements) * sizeof(T));
                 const auto [first, last] = block_range(task, together, p.batch);
                 for (std::int64_t b = first; b < last; ++b) {
                   pack_panels(p.k, p.n, p.y_of(b), panels.as<T>());
                   chain_rows(p.m, p.n, p.k, p.x_of(b), panels.as<T>(), blocks, true, p.out_of(b));
                 }
               });
}

// ---- all others

/// Of the processor, not the threads in use: how a product is cut is to follow from fixed numbers.
std::int64_t cores() {
  static const auto count = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  return count;
}

template <class T>
void by_blis(const Product<T>& p) {
  const Block block = output_block(p.batch, p.m, p.n, cores());
  const std::int64_t across = ceil_divide(p.n, block.columns);
  const std::int64_t down = ceil_divide(p.m, block.rows);
  parallel_for(p.batch * down * across, p.batch * p.size() / kProductsAnElement, [&](std::int64_t task) {
    const std::int64_t b = task / (down * across);
    const auto [i, i_end] = block_range(task / across % down, block.rows, p.m);
    const auto [j, j_end] = block_range(task % across, block.columns, p.n);
    blis_gemm(i_end - i, j_end - j, p.k, p.x_of(b).at(i, 0), p.y_of(b).at(0, j), p.out_of(b).at(i, j));
  });
}

/// Whether BLIS's kernels give the bits of the order `chain`. Those for AVX2 and AVX-512 do; older ones,
/// which the user may have chosen, don't.
template <class T>
bool chain_is_blis(InnerBlocks blocks) {
  if (blocks.longest > kChainLongest) return false;
  const std::int64_t m = 7;
  const std::int64_t n = 35;
  const std::int64_t k = blocks.longest + blocks.length + 5;
  const auto noise = [](std::int64_t size, std::uint32_t state) {
    std::vector<T> values(static_cast<std::size_t>(size));
    for (T& value : values) {
      state = state * 1664525U + 1013904223U;
      value = static_cast<T>(state) / static_cast<T>(4294967296.0) - static_cast<T>(0.5);
    }
    return values;
  };
  const std::vector<T> x = noise(m * k, 1);
  const std::vector<T> y = noise(n * k, 2);
  std::vector<T> blis(static_cast<std::size_t>(m * n));
  std::vector<T> chain(static_cast<std::size_t>(m * n));
  const Matrix<const T> x_matrix{x.data(), k, 1};
  const Matrix<const T> y_matrix{y.data(), n, 1};
  blis_gemm(m, n, k, x_matrix, y_matrix, Matrix<T>{blis.data(), n, 1});
  chain_columns(m, n, k, x_matrix, y_matrix, blocks, Matrix<T>{chain.data(), n, 1});
  return std::memcmp(blis.data(), chain.data(), blis.size() * sizeof(T)) == 0;
}

/// How elements are summed.
template <class T>
struct Order {
  InnerBlocks blocks = blis_inner_blocks(dtype_of<T>());
  /// BLIS sums as our kernels do. Where it doesn't, who computes a product may follow from n alone.
  bool one = chain_is_blis<T>(blocks);

  static const Order& of_this_process() {
    static const Order order;
    return order;
  }
  InnerBlocks own_blocks() const { return one ? blocks : InnerBlocks{256, 256}; }
};

/// All of the right operand stays in a core's cache.
template <class T>
bool is_small(std::int64_t n, std::int64_t k) {
  return n * k * static_cast<std::int64_t>(sizeof(T)) <= kPanelBytes;
}

template <class T>
void product_of_floats(CpuDevice& device, const Product<T>& p) {
  const Order<T>& order = Order<T>::of_this_process();
  const bool few = p.n <= kFewestColumns;
  const bool small = p.n <= kFewColumns || is_small<T>(p.n, p.k);
  if (p.n == 1) {
    one_column(device, p);
  } else if (!few && !order.one) {
    by_blis(p);
  } else if (p.m <= kFewRows) {
    few_rows(p, order.own_blocks());
  } else if (few || (small && p.k >= kShortInner)) {
    few_columns(device, p, order.own_blocks());
  } else {
    by_blis(p);
  }
}

}  // namespace

void CpuDevice::matmul(Precision /*precision*/, const View& x, const View& y, const View& out) {
  if (out.size() == 0) return;
  if (x.shape[2] == 0) {
    fill(0, out);
    return;
  }
  if (out.dtype == DType::float32) {
    product_of_floats(*this, product_of<float>(x, y, out));
  } else if (out.dtype == DType::float64) {
    product_of_floats(*this, product_of<double>(x, y, out));
  } else {
    integer_product(x, y, out);
  }
}

// ---- a block at a time

template <class T>
BlockProduct<T>::BlockProduct(CpuDevice& device, std::int64_t m, std::int64_t n, std::int64_t k,
                              Matrix<const T> y)
    : k_(k),
      y_(y),
      blocks_(Order<T>::of_this_process().own_blocks()),
      rows_(output_block(1, m, 1, cores()).rows),
      columns_(output_block(1, 1, n, 1).columns) {
  const bool few = n <= kFewestColumns;
  if (!few && !(is_small<T>(n, k) && Order<T>::of_this_process().one)) return;
  panels_.emplace(
      device.workspace(static_cast<std::size_t>(panel_elements(k, n, dtype_of<T>())) * sizeof(T)));
  pack_panels(k, n, y, panels_->template as<T>());
  // The block of the output stays in the second-level cache, in strips of rows that fill the kernels.
  constexpr std::int64_t strip = 24;
  columns_ = n;
  rows_ = std::clamp(2 * kPanelBytes / (n * static_cast<std::int64_t>(sizeof(T))), strip, rows_);
  rows_ = ceil_divide(rows_, 2 * strip) * 2 * strip;
}

template <class T>
void BlockProduct<T>::operator()(std::int64_t rows, Matrix<const T> x, std::int64_t column,
                                 std::int64_t columns, Matrix<T> out) const {
  if (panels_) {
    chain_rows(rows, columns, k_, x, panels_->template as<const T>(), blocks_, true, out);
  } else {
    blis_gemm(rows, columns, k_, x, y_.at(0, column), out);
  }
}

template <class T>
bool sums_in_one_chain(std::int64_t n, std::int64_t k) {
  const Order<T>& order = Order<T>::of_this_process();
  return (n <= kFewestColumns || order.one) && k <= order.own_blocks().longest;
}

template class BlockProduct<float>;
template class BlockProduct<double>;
template bool sums_in_one_chain<float>(std::int64_t n, std::int64_t k);
template bool sums_in_one_chain<double>(std::int64_t n, std::int64_t k);

}  // namespace tessera::cpu
