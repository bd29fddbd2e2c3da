# The headers that NVRTC needs, as text in one header of the build.

function(tessera_embed_headers target)
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  # FILE NAME ...
  set(headers
    ${PROJECT_SOURCE_DIR}/core/tessera/dtype.hpp tessera/dtype.hpp
    ${PROJECT_SOURCE_DIR}/core/tessera/export.hpp tessera/export.hpp
    ${PROJECT_SOURCE_DIR}/core/tessera/kernel_ops.hpp tessera/kernel_ops.hpp
    ${PROJECT_SOURCE_DIR}/core/tessera/scalar.hpp tessera/scalar.hpp
    ${PROJECT_SOURCE_DIR}/devices/common/element_ops.hpp devices/common/element_ops.hpp
    ${here}/lanes.hpp devices/cuda/lanes.hpp
    ${here}/program_arguments.hpp devices/cuda/program_arguments.hpp
    ${here}/program_kernel.hpp devices/cuda/program_kernel.hpp
    ${here}/runtime_headers/kernel.hpp platform/kernel.hpp
    ${here}/runtime_headers/standard.hpp standard.hpp)
  set(text "// Made by CMake (devices/cuda/embed.cmake).\n#pragma once\n\nnamespace tessera::cuda {\n\n")
  string(APPEND text "struct EmbeddedHeader {\n  const char* name;\n  const char* text;\n};\n")
  string(APPEND text "inline constexpr EmbeddedHeader kEmbeddedHeaders[] = {\n")
  foreach(name cmath concepts cstddef cstdint cstring limits string string_view type_traits utility)
    string(APPEND text "  {\"${name}\", \"#include <standard.hpp>\\n\"},\n")
  endforeach()
  while(headers)
    list(POP_FRONT headers file name)
    file(READ ${file} content)
    string(APPEND text "  {\"${name}\", R\"tessera(${content})tessera\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endwhile()
  string(APPEND text "};\n\n}  // namespace tessera::cuda\n")
  set(known "")
  if(EXISTS ${target})
    file(READ ${target} known)
  endif()
  if(NOT known STREQUAL text)
    file(WRITE ${target} "${text}")
  endif()
endfunction()
