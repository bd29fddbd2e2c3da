# Finds BLIS and makes the target BLIS::BLIS.
#
# Debian ships three builds side by side, and /usr/include/.../blis.h points to whichever was installed with
# the highest priority. Ours is the serial one (devices/cpu/blis.cpp says why), so its own folders come
# first; any other build serves where it is missing.

set(_blis_flavours serial pthread openmp)
set(_blis_include_hints)
set(_blis_library_hints)
foreach(_flavour ${_blis_flavours})
  list(APPEND _blis_include_hints /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/blis-${_flavour})
  list(APPEND _blis_library_hints /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/blis-${_flavour})
endforeach()

# The hints are searched before the system's folders, where the alternatives lie.
find_path(BLIS_INCLUDE_DIR blis.h HINTS ${_blis_include_hints} PATH_SUFFIXES blis)
find_library(BLIS_LIBRARY blis HINTS ${_blis_library_hints})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BLIS REQUIRED_VARS BLIS_LIBRARY BLIS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian: apt-get install libblis-serial-dev")
mark_as_advanced(BLIS_INCLUDE_DIR BLIS_LIBRARY)

if(BLIS_FOUND AND NOT TARGET BLIS::BLIS)
  add_library(BLIS::BLIS UNKNOWN IMPORTED)
  set_target_properties(BLIS::BLIS PROPERTIES
    IMPORTED_LOCATION ${BLIS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${BLIS_INCLUDE_DIR})
endif()
