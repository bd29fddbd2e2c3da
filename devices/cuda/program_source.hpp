#pragma once

// A program as the source of one kernel, for a compiler at run time.

#include <cstddef>
#include <string>

#include <tessera/program.hpp>

namespace tessera::cuda {

inline constexpr const char* kProgramKernel = "tessera_program";

/// The kernel `tessera_program` takes a ProgramArguments with `inputs` input views. Sizes and strides are
/// arguments, so that one source serves all of them; whether 32 bits count the elements is part of it.
std::string write_program(const Program& program, std::size_t inputs);

/// Whether threads share a row, as it has reductions; else each element is a thread's.
bool reduces(const Program& program);

}  // namespace tessera::cuda
