# The module's sources, which are built twice: here with nvcc, in tests/cuda_emulation for the host.
set(TESSERA_CUDA_HOST_SOURCES
  cuda_device.cpp
  errors.cpp
  module.cpp
  products.cpp
  program_source.cpp
  staging.cpp)
set(TESSERA_CUDA_KERNEL_SOURCES
  arg_reduce.cu
  binary.cu
  copy.cu
  few_features_argmin.cu
  few_features_product.cu
  gather.cu
  matmul.cu
  program.cu
  random.cu
  reduce.cu
  scan.cu
  scatter.cu
  search.cu
  sort.cu
  unary.cu)
list(TRANSFORM TESSERA_CUDA_HOST_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
list(TRANSFORM TESSERA_CUDA_KERNEL_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
