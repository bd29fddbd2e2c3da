# How everything in the tree is compiled: language, warnings, sanitizers, floating point, output folders.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

find_program(TESSERA_CCACHE ccache)
if(TESSERA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TESSERA_CCACHE})
endif()

include(GNUInstallDirs)

# Every target of the tree links to this.
add_library(tessera_build INTERFACE)
# (nvcc takes options of its own: devices/cuda.)
target_compile_options(tessera_build INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # No fused multiply-add but where a kernel asks for one: eager and fused code agree in bits.
  -ffp-contract=off>)
# GCC 12 sees overlapping copies in `"text" + std::string` (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tessera_build INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(TESSERA_WERROR)
  target_compile_options(tessera_build INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(TESSERA_SANITIZE)
  # GCC takes what sanitizers insert for reads of values never set.
  target_compile_options(tessera_build INTERFACE
    -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  target_link_options(tessera_build INTERFACE -fsanitize=${TESSERA_SANITIZE})
endif()
target_link_options(tessera_build INTERFACE -Wl,--no-undefined)
