#include <tessera/io/npy.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <tessera/buffer.hpp>
#include <tessera/device.hpp>
#include <tessera/device_state.hpp>
#include <tessera/error.hpp>
#include <tessera/funnel.hpp>
#include <tessera/io/file.hpp>
#include <tessera/io/npy_header.hpp>
#include <tessera/ops/manipulation.hpp>
#include <tessera/trace/tracer.hpp>

namespace tessera {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
constexpr std::size_t kMostHeaderBytes = std::size_t{1} << 20;  // one of 16 dimensions takes less than 500

// ---- reading

struct Opened {
  npy::Header header;
  std::uint64_t data_start = 0;
  std::size_t data_bytes = 0;
};

std::string read_text(const InputFile& file, std::uint64_t offset, std::size_t bytes, const char* what) {
  if (offset + bytes > file.size()) {
    throw IOError(fmt::format("[load_npy] \"{}\" has {} bytes and ends within its {}; write or copy it again",
                              file.path(), file.size(), what));
  }
  std::string text(bytes, '\0');
  file.read(text.data(), bytes, offset);
  return text;
}

/// The header, checked against the size of the file.
Opened open_npy(const InputFile& file) {
  const std::size_t preamble = std::min<std::size_t>(npy::kPreambleBytes, file.size());
  const std::size_t field = npy::length_field_bytes(file.path(), read_text(file, 0, preamble, "header"));
  const std::size_t length = npy::decode_length(read_text(file, npy::kPreambleBytes, field, "header"));
  if (length > kMostHeaderBytes) {
    throw IOError(fmt::format("[load_npy] \"{}\" is malformed: its header claims {} bytes; write it again",
                              file.path(), length));
  }
  const std::uint64_t text_start = npy::kPreambleBytes + field;
  Opened result;
  result.header = npy::parse_header(file.path(), read_text(file, text_start, length, "header"));
  result.data_start = text_start + length;

  const npy::Header& header = result.header;
  const std::uint64_t there = file.size() - result.data_start;
  std::uint64_t wanted = itemsize(header.dtype);
  bool overflow = false;
  const bool is_empty = std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end();
  for (const std::int64_t extent : header.shape) {
    if (is_empty) wanted = 0;
    overflow |= __builtin_mul_overflow(wanted, static_cast<std::uint64_t>(extent), &wanted);
  }
  const std::string what = fmt::format("{} {}", to_string(header.shape), name(header.dtype));
  if (overflow || wanted > there) {
    throw IOError(
        fmt::format("[load_npy] \"{}\" is truncated, or its shape is wrong: the header says {}, which takes "
                    "{} bytes, but {} follow "
                    "it; write or copy it again",
                    file.path(), what, overflow ? "more than 2^64" : fmt::format("{}", wanted), there));
  }
  if (wanted < there) {
    throw IOError(
        fmt::format("[load_npy] \"{}\" goes on after its array: the header says {}, which takes {} bytes, "
                    "but {} follow it; save one "
                    "array to a file",
                    file.path(), what, wanted, there));
  }
  result.data_bytes = static_cast<std::size_t>(wanted);
  return result;
}

template <class Word>
void swap_words(std::byte* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, bytes + i * sizeof(Word), sizeof(Word));
    if constexpr (sizeof(Word) == 2) word = __builtin_bswap16(word);
    if constexpr (sizeof(Word) == 4) word = __builtin_bswap32(word);
    if constexpr (sizeof(Word) == 8) word = __builtin_bswap64(word);
    std::memcpy(bytes + i * sizeof(Word), &word, sizeof(Word));
  }
}

void swap_bytes(std::byte* bytes, std::size_t count, std::size_t size) {
  if (size == 2) return swap_words<std::uint16_t>(bytes, count / 2);
  if (size == 4) return swap_words<std::uint32_t>(bytes, count / 4);
  if (size == 8) return swap_words<std::uint64_t>(bytes, count / 8);
}

/// The elements in the file's order, a piece at a time through host memory.
Array read_flat(const InputFile& file, const Opened& opened, const Device& device) {
  const npy::Header& header = opened.header;
  const std::size_t size = itemsize(header.dtype);
  const Array flat =
      make_array_now("load_npy", {static_cast<std::int64_t>(opened.data_bytes / size)}, header.dtype, device);
  auto* const target = static_cast<std::byte*>(flat.node().buffer->data());
  const std::size_t most = std::min(kPieceBytes, opened.data_bytes);
  const std::unique_ptr<std::byte[]> piece(new std::byte[most]);
  for (std::size_t done = 0; done < opened.data_bytes;) {
    const std::size_t bytes = std::min(most, opened.data_bytes - done);
    file.read(piece.get(), bytes, opened.data_start + done);
    if (header.swapped) swap_bytes(piece.get(), bytes, size);
    if (is_bool(header.dtype)) {
      std::transform(piece.get(), piece.get() + bytes, piece.get(),
                     [](std::byte b) { return std::byte{b != std::byte{0}}; });
    }
    device.state().device.upload(target + done, piece.get(), bytes);
    done += bytes;
  }
  return flat;
}

/// Bytes of a bool other than 0 and 1 and of another order are mended in memory, so such files are read.
bool can_map(const Opened& opened, const Device& device) {
  const npy::Header& header = opened.header;
  return device.host_memory() && !header.swapped && !is_bool(header.dtype) && opened.data_bytes > 0 &&
         opened.data_start % itemsize(header.dtype) == 0;
}

Array map_flat(const InputFile& file, const Opened& opened, const Device& device) {
  const std::shared_ptr<const std::byte> mapped = file.map();
  const auto count = static_cast<std::int64_t>(opened.data_bytes / itemsize(opened.header.dtype));
  return borrow_host(mapped.get() + opened.data_start, opened.header.dtype, row_major({count}),
                     opened.data_bytes, mapped, device);
}

// ---- writing

void write_elements(OutputFile& file, const Array& x) {
  if (x.size() == 0) return;
  const trace::Pause eager;
  if (x.is_contiguous() && x.device().host_memory()) {
    visit_dtype(x.dtype(), [&]<class T>(T) {
      const HostView<T> view = x.host_view<T>();
      file.write(view.data(), static_cast<std::size_t>(x.nbytes()));
    });
    return;
  }
  const auto bytes = static_cast<std::size_t>(x.nbytes());
  if (bytes <= kPieceBytes || x.ndim() == 0) {
    const std::unique_ptr<std::byte[]> piece(new std::byte[bytes]);
    x.to_host(piece.get(), x.dtype(), x.size());
    file.write(piece.get(), bytes);
    return;
  }
  if (x.is_contiguous() && x.ndim() > 1) return write_elements(file, reshape(x, {-1}));
  // Rows until a piece is full; a row that is more than a piece comes apart in turn.
  const std::int64_t rows = x.shape(0);
  const std::int64_t step = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(kPieceBytes) / std::max<std::int64_t>(1, x.nbytes() / rows));
  for (std::int64_t row = 0; row < rows; row += step) {
    const std::int64_t count = std::min(step, rows - row);
    const Layout part = count == 1 ? select(x.layout(), 0, row) : slice(x.layout(), 0, row, count, 1);
    write_elements(file, view_of(x, part));
  }
}

}  // namespace

Array load_npy(const std::string& path, const LoadOptions& options) {
  const InputFile file("load_npy", path);
  const Opened opened = open_npy(file);
  const Array flat = options.memory_map && can_map(opened, options.device)
                         ? map_flat(file, opened, options.device)
                         : read_flat(file, opened, options.device);
  const npy::Header& header = opened.header;
  if (!header.fortran_order) return view_of(flat, row_major(header.shape));
  // The first dimension runs fastest: the transpose of a row-major array.
  Layout layout = row_major(header.shape);
  std::reverse(layout.shape.begin(), layout.shape.end());
  layout = row_major(layout.shape);
  std::reverse(layout.shape.begin(), layout.shape.end());
  std::reverse(layout.strides.begin(), layout.strides.end());
  return view_of(flat, layout);
}

void save_npy(const std::string& path, const Array& x) {
  require_array("save_npy", "x", x);
  trace::require_values("save_npy", x);
  OutputFile file("save_npy", path);
  const std::string header = npy::make_header(x.dtype(), x.shape());
  file.write(header.data(), header.size());
  write_elements(file, x);
  file.commit();
}

struct NpyWriter::State {
  State(const std::string& in_path, DType in_dtype, Shape in_shape)
      : file("NpyWriter", in_path), path(in_path), dtype(in_dtype), shape(in_shape) {}

  void require_whole() const {
    if (!failed) return;
    throw IOError(fmt::format(
        "[NpyWriter] \"{}\" has a part of the rows of an append that failed, after {} whole ones; "
        "make another writer",
        path, rows));
  }

  OutputFile file;
  std::string path;
  DType dtype;
  Shape shape;
  std::int64_t rows = 0;
  bool failed = false;  ///< a part of some rows may be in the file
};

NpyWriter::NpyWriter(const std::string& path, DType dtype, const Shape& shape) {
  const bool negative =
      std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 0; });
  if (shape.empty() || negative) {
    throw ShapeError(fmt::format(
        "[NpyWriter] shape {} has no rows to append; give at least one extent, each >= 0", to_string(shape)));
  }
  state_ = std::make_unique<State>(path, dtype, shape);
  const std::string header = npy::make_header(dtype, shape);
  state_->file.write(header.data(), header.size());
}

NpyWriter::~NpyWriter() = default;

void NpyWriter::append(const Array& rows) {
  if (!state_) throw ValueError("[NpyWriter] append after close; make another writer");
  state_->require_whole();
  require_array("NpyWriter", "rows", rows);
  trace::require_values("NpyWriter", rows);
  if (rows.dtype() != state_->dtype) {
    throw DTypeError(fmt::format("[NpyWriter] rows are {}, the file holds {}; cast them with astype",
                                 describe(rows), name(state_->dtype)));
  }
  Shape expected = state_->shape;
  if (rows.ndim() == expected.size()) expected[0] = rows.shape(0);
  if (rows.shape() != expected) {
    throw ShapeError(
        fmt::format("[NpyWriter] rows are {}, the file's shape is {}; all extents but the first must be "
                    "equal",
                    describe(rows), to_string(state_->shape)));
  }
  if (rows.shape(0) > state_->shape[0] - state_->rows) {
    throw ValueError(
        fmt::format("[NpyWriter] {} rows are there and {} more were appended, the file's shape is {}; "
                    "give the number of rows to the constructor",
                    state_->rows, rows.shape(0), to_string(state_->shape)));
  }
  state_->failed = true;
  write_elements(state_->file, rows);
  state_->failed = false;
  state_->rows += rows.shape(0);
}

void NpyWriter::close() {
  if (!state_) return;
  state_->require_whole();
  if (state_->rows != state_->shape[0]) {
    throw ValueError(
        fmt::format("[NpyWriter] {} rows were appended, the file's shape is {}; append the others before "
                    "close",
                    state_->rows, to_string(state_->shape)));
  }
  const std::unique_ptr<State> state = std::move(state_);
  state->file.commit();
}

}  // namespace tessera
