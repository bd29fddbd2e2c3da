// Programs that are worth it run as one kernel each, compiled at run time; the others by plain kernels, with
// the same bits: as many threads share a row, and add it up in the same order.

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>
#include <vector>

#include <tessera/error.hpp>
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

/// Whether its kernel fits: a compiler takes minutes over thousands of steps, and registers and the block's
/// memory (at most 128 bytes a reduction, of 48 KiB) are few.
bool is_small(const Program& program) {
  constexpr std::size_t kMostSteps = 1600;
  constexpr std::ptrdiff_t kMostReductions = 200;
  const auto reductions = std::count_if(program.steps.begin(), program.steps.end(),
                                        [](const auto& step) { return is_reduction(step.kind); });
  return program.steps.size() <= kMostSteps && reductions <= kMostReductions;
}

}  // namespace

CompiledKernel Programs::kernel(const CudaDevice& device, const Program& program, std::size_t inputs) {
  constexpr std::size_t kMostKernels = 4096;
  std::string key = outline(program, inputs);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second;
    if (kernels_.size() >= kMostKernels) return nullptr;
  }
  // Others find their kernels meanwhile.
  CompiledKernel compiled = nullptr;
  std::string wrong;
  try {
    compiled = compile_kernel(write_program(program, inputs), kProgramKernel, device.capability());
  } catch (const DeviceError& error) {
    device.check_alive();
    wrong = error.what();
  }
  const std::lock_guard lock(mutex_);
  if (!wrong.empty() && !told_) {
    told_ = true;
    std::fprintf(stderr, "warning: %s\nTessera: such programs run by plain kernels, with the same bits\n",
                 wrong.c_str());
  }
  return kernels_.emplace(std::move(key), compiled).first->second;
}

void CudaDevice::program(const Program& program, std::span<const View> inputs,
                         std::span<const View> outputs) {
  const std::int64_t size = program.rows * program.columns;
  const Shape shape{program.rows, program.columns, 1};
  const Rows rows = plan_rows(shape, row_major_strides(shape), true);
  const bool reduced = reduces(program);
  // A program of few elements does not wait for a compiler; rows that are added up in pieces take two passes.
  CompiledKernel kernel = nullptr;
  if (size >= fewest_compiled_elements() && !(reduced && rows.pieces > 1) &&
      inputs.size() + outputs.size() <= kMostProgramViews && is_small(program)) {
    tessera::check(program, inputs, outputs);
    enter();
    kernel = programs_.kernel(*this, program, inputs.size());
  }
  if (kernel == nullptr) {
    DeviceInterface::program(program, inputs, outputs);
    return;
  }
  ProgramArguments arguments;  // only a part is used
  arguments.rows = program.rows;
  arguments.columns = program.columns;
  arguments.lanes = rows.lanes;
  ProgramView* next = arguments.views;
  for (const View& view : inputs) *next++ = as_argument(view);
  for (const View& view : outputs) *next++ = as_argument(view);
  const std::vector<std::uint64_t> constants = constants_of(program);
  std::copy_n(constants.begin(), std::min(constants.size(), std::size(arguments.constants)),
              arguments.constants);
  const std::int64_t threads = reduced ? threads_of(rows) : size;
  check(launch_compiled(kernel, grid_for(threads, kThreads), kThreads, stream(), arguments));
}

}  // namespace tessera::cuda
