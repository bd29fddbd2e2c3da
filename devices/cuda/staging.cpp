#include "devices/cuda/staging.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::cuda {

/// A piece that no copy uses any more; made at its first turn.
Staging::Piece& Staging::next_piece() {
  Piece& piece = pieces_[turn_];
  turn_ = (turn_ + 1) % pieces_.size();
  if (piece.data == nullptr) {
    cudaEvent_t done = nullptr;
    check_(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    piece.done.reset(done);
    void* data = nullptr;
    check_(cudaHostAlloc(&data, kPieceBytes, cudaHostAllocDefault));
    piece.data.reset(data);
  } else {
    check_(cudaEventSynchronize(piece.done.get()));
  }
  return piece;
}

void Staging::upload(void* target, const void* source, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  for (std::size_t at = 0; at < bytes; at += kPieceBytes) {
    const std::size_t count = std::min(kPieceBytes, bytes - at);
    const Piece& piece = next_piece();
    std::memcpy(piece.data.get(), static_cast<const std::byte*>(source) + at, count);
    check_(cudaMemcpyAsync(static_cast<std::byte*>(target) + at, piece.data.get(), count,
                           cudaMemcpyHostToDevice, stream_));
    check_(cudaEventRecord(piece.done.get(), stream_));
  }
}

void Staging::collect(const Piece& piece, std::byte* target, std::size_t bytes) {
  check_(cudaEventSynchronize(piece.done.get()));
  std::memcpy(target, piece.data.get(), bytes);
}

void Staging::download(void* target, const void* source, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto* const to = static_cast<std::byte*>(target);
  // One piece travels while the one before it is emptied.
  const Piece* last = nullptr;
  std::size_t last_at = 0;
  for (std::size_t at = 0; at < bytes; at += kPieceBytes) {
    const std::size_t count = std::min(kPieceBytes, bytes - at);
    const Piece& piece = next_piece();
    check_(cudaMemcpyAsync(piece.data.get(), static_cast<const std::byte*>(source) + at, count,
                           cudaMemcpyDeviceToHost, stream_));
    check_(cudaEventRecord(piece.done.get(), stream_));
    if (last != nullptr) collect(*last, to + last_at, kPieceBytes);
    last = &piece;
    last_at = at;
  }
  if (last != nullptr) collect(*last, to + last_at, bytes - last_at);
}

}  // namespace tessera::cuda
