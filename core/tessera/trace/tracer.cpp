#include <tessera/trace/tracer.hpp>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <tessera/buffer.hpp>
#include <tessera/device.hpp>
#include <tessera/error.hpp>

namespace tessera::trace {
namespace {

// Read several times in every operation: an address known when the library is loaded, no call.
[[gnu::tls_model("initial-exec")]] thread_local Trace* current = nullptr;

std::int64_t count_elements(std::size_t bytes, DType dtype) {
  return static_cast<std::int64_t>(bytes / itemsize(dtype));
}

/// The layout that an argument is traced with: its own, row-major where it is contiguous, from 0 on.
Layout argument_layout(const Layout& layout) {
  if (is_contiguous(layout)) return row_major(layout.shape);
  return {layout.shape, layout.strides, 0};
}

}  // namespace

Trace* active() {
  return current;
}

Activate::Activate(Trace& trace) : before_(std::exchange(current, &trace)) {}
Activate::~Activate() {
  current = before_;
}
Pause::Pause() : before_(std::exchange(current, nullptr)) {}
Pause::~Pause() {
  current = before_;
}

Array Trace::argument(const Array& like) {
  Value value;
  value.source = Value::Source::argument;
  value.dtype = like.dtype();
  value.elements = like.size();
  value.device = &like.device().state();
  value.argument = graph_.argument_count++;
  const int id = graph_.add(value);
  auto traced = std::make_unique<Traced>(Traced{shared_from_this(), id});
  BufferRef buffer(new Buffer(*value.device, static_cast<std::size_t>(value.bytes()), std::move(traced)));
  return Array(new ArrayNode(argument_layout(like.layout()), value.dtype, std::move(buffer)));
}

Buffer* Trace::make_buffer(DeviceState& device, DType dtype, std::size_t bytes) {
  Value value;
  value.source = Value::Source::empty;
  value.dtype = dtype;
  value.elements = count_elements(bytes, dtype);
  value.device = &device;
  return new Buffer(device, bytes, std::make_unique<Traced>(Traced{shared_from_this(), graph_.add(value)}));
}

Access Trace::operand(const Array& x) {
  const ArrayNode& node = x.node();
  if (const Traced* const traced = node.buffer->traced()) {
    if (traced->trace.get() != this) refuse_value(current_operation(), *traced);
    return {traced->value, node.layout};
  }
  const auto [found, fresh] = constants_.try_emplace(&*node.buffer, static_cast<int>(graph_.values.size()));
  if (fresh) {
    Value value;
    value.source = Value::Source::constant;
    value.dtype = node.dtype;
    value.elements = count_elements(node.buffer->bytes(), node.dtype);
    value.device = &node.buffer->device();
    value.constant = x;
    graph_.add(value);
  }
  return {found->second, node.layout};
}

void Trace::record(const Call& call) {
  Node node;
  node.kernel = call.kernel;
  node.operation = call.operation;
  node.op = call.op;
  std::copy(std::begin(call.flags), std::end(call.flags), std::begin(node.flags));
  node.precision = call.precision;
  node.key = call.key;
  node.counter = call.counter;
  std::copy(std::begin(call.scalars), std::end(call.scalars), std::begin(node.scalars));
  for (int i = 0; i < call.input_count; ++i) {
    node.inputs.push_back(call.inputs[i] == nullptr ? Access{} : operand(*call.inputs[i]));
  }
  const ArrayNode& out = call.output->node();
  Traced* const target = out.buffer->traced();
  if (target == nullptr || target->trace.get() != this) {
    throw TraceError(fmt::format(
        "[{}] while a function is traced nothing is written into arrays from outside", call.operation));
  }
  Value value = graph_.value(target->value);
  value.source = Value::Source::computed;
  value.argument = -1;
  if (call.kernel == Kernel::scatter || !is_whole(out.layout, value.elements)) node.base = target->value;
  target->value = graph_.add(value);
  node.outputs.push_back({target->value, out.layout});
  graph_.nodes.push_back(std::move(node));
}

Graph Trace::finish(std::span<const Array> results) {
  for (const Array& result : results) graph_.outputs.push_back(operand(result));
  Graph graph = std::move(graph_);
  close();
  return graph;
}

void Trace::close() {
  open_ = false;
  graph_ = {};
  constants_.clear();
}

void require_values(const char* operation, const Array& x, const char* instead) {
  if (const Traced* const traced = x.node().buffer->traced()) refuse_value(operation, *traced, instead);
}

void refuse_value(const char* operation, const Traced& traced, const char* instead) {
  if (!traced.trace->open()) {
    throw TraceError(fmt::format(
        "[{}] this array belongs to a trace that has ended and never had values; return from the compiled "
        "function what is needed outside of it",
        operation));
  }
  throw TraceError(fmt::format(
      "[{}] an array has no values while its function is traced for compile(), only a shape and a dtype; {}",
      operation, instead));
}

}  // namespace tessera::trace
