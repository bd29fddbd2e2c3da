#pragma once

#include <tessera/export.hpp>

namespace tessera {

/// How many threads devices on the host's processor may use, in the whole process. At first
/// TESSERA_NUM_THREADS, or as many as the processor runs. Results do not depend on it, not in one bit.
TESSERA_API int num_threads();

/// More than the processor has is allowed, and so many then really run. Throws ValueError below 1.
/// Kernels that are running keep what they began with.
TESSERA_API void set_num_threads(int threads);

/// Sets the number of threads while it lives.
class TESSERA_API ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;
  ~ThreadScope();

 private:
  int before_;
};

}  // namespace tessera
