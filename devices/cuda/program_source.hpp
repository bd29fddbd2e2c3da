#pragma once

// A program as the source of one kernel, for a compiler at run time.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tessera/program.hpp>

namespace tessera::cuda {

inline constexpr const char* kProgramKernel = "tessera_program";

/// The kernel `tessera_program` takes a ProgramArguments, of which the first `inputs` views are the inputs.
/// Sizes, strides and constants are arguments, so that one source serves all of them; whether 32 bits count
/// the elements is part of it.
std::string write_program(const Program& program, std::size_t inputs);

/// All that `write_program` looks at: programs with one outline have one source. Much shorter than that.
std::string outline(const Program& program, std::size_t inputs);

/// The bits of a program's constants, in the order of their steps.
std::vector<std::uint64_t> constants_of(const Program& program);

/// Whether threads share a row, as it has reductions; else each element is a thread's.
bool reduces(const Program& program);

}  // namespace tessera::cuda
