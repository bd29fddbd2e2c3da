#pragma once

// What device code calls without including anything, in plain C++ for the host.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "block.hpp"

// nvcc knows these names everywhere; the sources use them bare.
#define threadIdx (::cuda_emulation::position.thread)
#define blockIdx (::cuda_emulation::position.block)
#define blockDim (::cuda_emulation::position.threads)
#define gridDim (::cuda_emulation::position.blocks)

namespace cuda_emulation {

template <class T>
Word to_word(T value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(Word));
  Word word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}
template <class T>
T from_word(Word word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

/// The value of lane `source`, or the caller's own where there is no such lane.
template <class T>
T shuffle(unsigned mask, T value, int source, bool within, const char* operation,
          const std::source_location& where) {
  Block& block = Block::running();
  block.exchange(mask, to_word(value), operation, where);
  if (!within) return value;
  return from_word<T>(block.lane_word(source));
}

}  // namespace cuda_emulation

using CudaEmulationPlace = std::source_location;

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's

inline void __syncthreads(const CudaEmulationPlace& where = CudaEmulationPlace::current()) {
  cuda_emulation::Block::running().synchronize(where);
}

inline void __syncwarp(unsigned mask = 0xffffffffU,
                       const CudaEmulationPlace& where = CudaEmulationPlace::current()) {
  cuda_emulation::Block::running().exchange(mask, 0, "__syncwarp", where);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32,
              const CudaEmulationPlace& where = CudaEmulationPlace::current()) {
  const int lane = cuda_emulation::Block::running().lane();
  const int from = lane / width * width + source % width;
  return cuda_emulation::shuffle(mask, value, from, true, "__shfl_sync", where);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32,
                  const CudaEmulationPlace& where = CudaEmulationPlace::current()) {
  const int lane = cuda_emulation::Block::running().lane();
  const int from = lane ^ bits;
  return cuda_emulation::shuffle(mask, value, from, from / width <= lane / width, "__shfl_xor_sync", where);
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 const CudaEmulationPlace& where = CudaEmulationPlace::current()) {
  const int lane = cuda_emulation::Block::running().lane();
  const int from = lane - static_cast<int>(delta);
  return cuda_emulation::shuffle(mask, value, from, from >= lane / width * width, "__shfl_up_sync", where);
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   const CudaEmulationPlace& where = CudaEmulationPlace::current()) {
  const int lane = cuda_emulation::Block::running().lane();
  const int from = lane + static_cast<int>(delta);
  return cuda_emulation::shuffle(mask, value, from, from < (lane / width + 1) * width, "__shfl_down_sync",
                                 where);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              const CudaEmulationPlace& where = CudaEmulationPlace::current()) {
  cuda_emulation::Block& block = cuda_emulation::Block::running();
  block.exchange(mask, predicate != 0 ? 1 : 0, "__ballot_sync", where);
  unsigned votes = 0;
  for (unsigned lane = 0; lane < cuda_emulation::kWarp; ++lane) {
    if (((mask >> lane) & 1U) != 0 && block.lane_word(static_cast<int>(lane)) != 0) votes |= 1U << lane;
  }
  return votes;
}

inline int __any_sync(unsigned mask, int predicate,
                      const CudaEmulationPlace& where = CudaEmulationPlace::current()) {
  return __ballot_sync(mask, predicate, where) != 0 ? 1 : 0;
}

inline int __all_sync(unsigned mask, int predicate,
                      const CudaEmulationPlace& where = CudaEmulationPlace::current()) {
  return __ballot_sync(mask, predicate, where) == mask ? 1 : 0;
}

inline void __threadfence() {}
inline void __threadfence_system() {}

inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __ffs(int x) {
  return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1;
}
inline int __clz(int x) {
  return std::countl_zero(static_cast<unsigned>(x));
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((std::uint64_t{a} * b) >> 32U);
}
template <class T>
T __ldg(const T* address) {
  return *address;
}
inline float __fmaf_rn(float a, float b, float c) {
  return std::fma(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
  return std::fma(a, b, c);
}

// One thread runs at a time, so plain code is atomic.
template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  const T before = *address;
  *address = static_cast<T>(before + value);
  return before;
}
template <class T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  const T before = *address;
  if (before < value) *address = value;
  return before;
}
template <class T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  const T before = *address;
  if (value < before) *address = value;
  return before;
}
template <class T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  const T before = *address;
  if (before == expected) *address = value;
  return before;
}

// NOLINTEND(readability-identifier-naming)
