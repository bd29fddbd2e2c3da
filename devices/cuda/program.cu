// Programs that are worth it run as one kernel each, compiled at run time; the others by plain kernels, with
// the same bits: as many threads share a row, and add it up in the same order.

#include <tessera/program.hpp>

#include <platform/limits.hpp>
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/program_source.hpp"
#include "devices/cuda/rows.hpp"

namespace tessera::cuda {
namespace {

ProgramView as_argument(const View& view) {
  return {view.data, view.strides[0], view.strides[1]};
}

}  // namespace

CompiledKernel Programs::kernel(const std::string& source, int capability) {
  const std::lock_guard lock(mutex_);
  const std::string key = std::to_string(capability) + "\n" + source;
  if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second;
  const CompiledKernel compiled = compile_kernel(source, kProgramKernel, capability);
  kernels_.emplace(key, compiled);
  return compiled;
}

void CudaDevice::program(const Program& program, std::span<const View> inputs,
                         std::span<const View> outputs) {
  const std::int64_t size = program.rows * program.columns;
  const Shape shape{program.rows, program.columns, 1};
  const Rows rows = plan_rows(shape, row_major_strides(shape), true);
  const bool reduced = reduces(program);
  // A program of few elements does not wait for a compiler; rows that are added up in pieces take two passes.
  if (size < fewest_compiled_elements() || (reduced && rows.pieces > 1) ||
      inputs.size() + outputs.size() > kMostProgramViews) {
    DeviceInterface::program(program, inputs, outputs);
    return;
  }
  tessera::check(program, inputs, outputs);
  enter();
  ProgramArguments arguments{
      .rows = program.rows, .columns = program.columns, .lanes = rows.lanes, .views = {}};
  ProgramView* next = arguments.views;
  for (const View& view : inputs) *next++ = as_argument(view);
  for (const View& view : outputs) *next++ = as_argument(view);
  const CompiledKernel kernel = programs_.kernel(write_program(program, inputs.size()), capability_);
  const std::int64_t threads = reduced ? threads_of(rows) : size;
  check(launch_compiled(kernel, grid_for(threads, kThreads), kThreads, stream_, arguments));
}

}  // namespace tessera::cuda
