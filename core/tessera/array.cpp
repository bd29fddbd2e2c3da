#include <tessera/array.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <tessera/buffer.hpp>
#include <tessera/device_state.hpp>
#include <tessera/error.hpp>
#include <tessera/funnel.hpp>
#include <tessera/operation.hpp>
#include <tessera/trace/tracer.hpp>

namespace tessera {
namespace {

const ArrayNode& checked(const ArrayNode* node) {
  if (node == nullptr) throw ValueError("[array] this handle holds no array; assign one first");
  return *node;
}

std::byte* first_element(const ArrayNode& node) {
  return static_cast<std::byte*>(node.buffer->data()) +
         node.layout.offset * static_cast<std::int64_t>(itemsize(node.dtype));
}

std::size_t byte_count(DType dtype, const Shape& shape) {
  const std::int64_t count = element_count(shape);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<std::int64_t>(itemsize(dtype)), &bytes)) {
    throw ShapeError(
        fmt::format("[array] {} {} has more bytes than 64 bits count", to_string(shape), name(dtype)));
  }
  return static_cast<std::size_t>(bytes);
}

}  // namespace

Array::Array(const Array& other) noexcept : node_(other.node_) {
  if (node_ != nullptr) node_->references.fetch_add(1, std::memory_order_relaxed);
}

Array::~Array() {
  if (node_ != nullptr && node_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node_;
}

const ArrayNode& Array::node() const {
  return checked(node_);
}
const Shape& Array::shape() const {
  return node().layout.shape;
}
std::int64_t Array::shape(int axis) const {
  return shape()[normalize_axis("shape", axis, ndim())];
}
int Array::ndim() const {
  return node().layout.rank();
}
std::int64_t Array::size() const {
  return node().layout.size();
}
DType Array::dtype() const {
  return node().dtype;
}
Device Array::device() const {
  return Device(node().buffer->device());
}
std::int64_t Array::nbytes() const {
  return size() * static_cast<std::int64_t>(itemsize(dtype()));
}
const Strides& Array::strides() const {
  return node().layout.strides;
}
const Layout& Array::layout() const {
  return node().layout;
}
bool Array::is_contiguous() const {
  return tessera::is_contiguous(node().layout);
}

bool Array::sole_owner() const {
  return node().references.load(std::memory_order_acquire) == 1 && node_->buffer->sole();
}

Scalar Array::item() const {
  if (size() != 1) {
    throw ShapeError(fmt::format("[item] the array is {}; expected one element", describe(*this)));
  }
  trace::require_values("item", *this);
  set_current_operation("item");
  alignas(8) std::byte bytes[8];
  node_->buffer->device().device.download(bytes, first_element(*node_), itemsize(dtype()));
  return visit_dtype(dtype(), [&](auto zero) {
    decltype(zero) value;
    std::memcpy(&value, bytes, sizeof(value));
    return Scalar(value);
  });
}

void throw_item(const Scalar& value, DType wanted) {
  throw ValueError(
      fmt::format("[item] the element is {}, which is no {}; ask for the array's own kind, or cast "
                  "with astype first",
                  value.to_string(), name(wanted)));
}

void Array::to_host(void* target, DType wanted, std::int64_t count) const {
  if (wanted != dtype() && !(is_bool(dtype()) && wanted == DType::uint8)) {
    throw DTypeError(fmt::format("[to_host] the array is {}, the target holds {}; cast with astype first",
                                 describe(*this), name(wanted)));
  }
  if (count != size()) {
    throw ShapeError(
        fmt::format("[to_host] the array is {}, the target holds {} elements", describe(*this), count));
  }
  trace::require_values("to_host", *this);
  if (count == 0) return;
  const trace::Pause eager;
  const Array flat = contiguous("to_host", *this);
  set_current_operation("to_host");
  flat.node_->buffer->device().device.download(target, first_element(*flat.node_),
                                               static_cast<std::size_t>(nbytes()));
}

const void* Array::host_data(DType wanted) const {
  if (wanted != dtype()) {
    throw DTypeError(
        fmt::format("[host_view] the array is {}, the view asks for {}", describe(*this), name(wanted)));
  }
  trace::require_values("host_view", *this);
  const DeviceState& state = node().buffer->device();
  if (!state.host_memory) {
    throw NotSupportedError(
        fmt::format("[host_view] the memory of {} is not the host's; copy with to_host", state.name));
  }
  state.device.synchronize();
  return first_element(*node_);
}

void require_contiguous(const Array& x, const char* operation) {
  if (!x.is_contiguous()) {
    throw ValueError(
        fmt::format("[{}] the array is {} with strides {}; expected a contiguous one, as "
                    "ascontiguousarray gives",
                    operation, describe(x), to_string(x.strides())));
  }
}

void require_count(std::size_t have, const Shape& shape, const char* operation) {
  if (static_cast<std::int64_t>(have) != element_count(shape)) {
    throw ShapeError(fmt::format("[{}] {} values do not fill shape {}", operation, have, to_string(shape)));
  }
}

Array make_array(const char* operation, const Shape& shape, DType dtype, const Device& device) {
  trace::Trace* const active = trace::active();
  if (active == nullptr) return make_array_now(operation, shape, dtype, device);
  return Array(
      new ArrayNode(row_major(shape), dtype,
                    BufferRef(active->make_buffer(device.state(), dtype, byte_count(dtype, shape)))));
}

Array make_array_now(const char* operation, const Shape& shape, DType dtype, const Device& device) {
  set_current_operation(operation);
  const std::size_t bytes = byte_count(dtype, shape);
  return Array(new ArrayNode(row_major(shape), dtype, BufferRef(new Buffer(device.state(), bytes))));
}

Array view_of(const Array& x, const Layout& layout) {
  const ArrayNode& node = x.node();
  return Array(new ArrayNode(layout, node.dtype, node.buffer));
}

namespace {

/// The bytes as 0 and 1, where one of them is another: kernels reckon with those two. Null where none is.
std::unique_ptr<std::byte[]> mended_bools(const void* data, std::size_t count) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  if (std::all_of(bytes, bytes + count, [](std::byte b) { return b <= std::byte{1}; })) return nullptr;
  std::unique_ptr<std::byte[]> result(new std::byte[count]);
  std::transform(bytes, bytes + count, result.get(),
                 [](std::byte b) { return std::byte{b != std::byte{0}}; });
  return result;
}

}  // namespace

Array from_host(const void* data, DType dtype, const Shape& shape, const Device& device) {
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      throw ShapeError(fmt::format("[from_host] shape {} has a negative extent", to_string(shape)));
    }
  }
  if (data == nullptr && element_count(shape) > 0) {
    throw ValueError(fmt::format("[from_host] data is null, and shape {} has {} elements", to_string(shape),
                                 element_count(shape)));
  }
  Array x = make_array_now("from_host", shape, dtype, device);
  if (x.size() == 0) return x;
  const auto bytes = static_cast<std::size_t>(x.nbytes());
  const std::unique_ptr<std::byte[]> mended = is_bool(dtype) ? mended_bools(data, bytes) : nullptr;
  device.state().device.upload(x.node().buffer->data(), mended ? mended.get() : data, bytes);
  return x;
}

Array borrow_host(const void* data, DType dtype, const Layout& layout, std::size_t bytes,
                  std::shared_ptr<const void> owner, const Device& device) {
  const bool negative = std::any_of(layout.shape.begin(), layout.shape.end(), [](auto n) { return n < 0; });
  if (negative || layout.strides.size() != layout.rank()) {
    throw ShapeError(
        fmt::format("[borrow_host] layout has shape {} and strides {}; expected extents of at least 0, and a "
                    "stride for each",
                    to_string(layout.shape), to_string(layout.strides)));
  }
  if (data == nullptr && bytes > 0) {
    throw ValueError(fmt::format("[borrow_host] data is null; expected {} bytes", bytes));
  }
  const Extent touched = extent(layout);
  if (touched.begin < 0 || std::cmp_greater(touched.end, bytes / itemsize(dtype))) {
    throw ShapeError(
        fmt::format("[borrow_host] layout has shape {}, strides {} and offset {}, which reach outside of the "
                    "{} bytes of data",
                    to_string(layout.shape), to_string(layout.strides), layout.offset, bytes));
  }
  if (reinterpret_cast<std::uintptr_t>(data) % itemsize(dtype) != 0) {
    throw ValueError(fmt::format("[borrow_host] the memory is not aligned to {}", name(dtype)));
  }
  if (device.host_memory()) {
    BufferRef buffer(new Buffer(device.state(), data, bytes, std::move(owner)));
    return Array(new ArrayNode(layout, dtype, std::move(buffer)));
  }
  const Array all = from_host(data, dtype, {static_cast<std::int64_t>(bytes / itemsize(dtype))}, device);
  return view_of(all, layout);
}

Array to_device(const Array& x, const Device& device) {
  require_array("to_device", "x", x);
  if (x.device() == device) return x;
  trace::require_values("to_device", x, "move arrays to another device before the call, or after it");
  const trace::Pause eager;
  const Array source = contiguous("to_device", x);
  if (source.device().host_memory()) {
    source.device().synchronize();
    return from_host(first_element(source.node()), x.dtype(), x.shape(), device);
  }
  if (device.host_memory()) {
    device.synchronize();  // the target's memory may still be in use by what was queued on it
    const Array target = make_array_now("to_device", x.shape(), x.dtype(), device);
    source.to_host(target.node().buffer->data(), x.dtype(), x.size());
    return target;
  }
  const std::unique_ptr<std::byte[]> staging(new std::byte[static_cast<std::size_t>(x.nbytes()) + 1]);
  source.to_host(staging.get(), x.dtype(), x.size());
  return from_host(staging.get(), x.dtype(), x.shape(), device);
}

}  // namespace tessera
