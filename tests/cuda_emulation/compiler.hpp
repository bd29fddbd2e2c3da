#pragma once

namespace cuda_emulation {

/// How many kernels the host's compiler has made.
extern long compilations;

/// While on, kernels are only collected, and launches of them do nothing; turned off, it compiles them, many
/// to a translation unit.
void collect(bool on);

}  // namespace cuda_emulation
