#pragma once

// Copies between the host and a device, through pinned memory in pieces: the next piece is filled or emptied
// while the last one travels.

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>

#include <cuda_runtime_api.h>

#include "devices/cuda/handles.hpp"

namespace tessera::cuda {

/// Throws where a CUDA call failed.
using Check = std::function<void(cudaError_t)>;

class Staging {
 public:
  explicit Staging(Check check) : check_(std::move(check)) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// The queue that copies go into.
  void attach(cudaStream_t stream) { stream_ = stream; }

  /// `source` may be reused when this returns; the target has the bytes in queue order.
  void upload(void* target, const void* source, std::size_t bytes);
  /// The bytes are there when this returns.
  void download(void* target, const void* source, std::size_t bytes);

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

  struct Piece {
    PinnedMemory data;
    OwnedEvent done;  ///< after the last copy from or into it
  };
  Piece& next_piece();
  void collect(const Piece& piece, std::byte* target, std::size_t bytes);

  cudaStream_t stream_ = nullptr;
  Check check_;
  std::mutex mutex_;
  std::array<Piece, 8> pieces_;
  std::size_t turn_ = 0;
};

}  // namespace tessera::cuda
