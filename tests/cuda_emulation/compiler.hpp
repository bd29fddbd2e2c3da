#pragma once

namespace cuda_emulation {

/// How many kernels the host's compiler has made.
extern long compilations;

}  // namespace cuda_emulation
