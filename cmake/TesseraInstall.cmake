# What `cmake --install` lays down, so that find_package(tessera) works wherever the prefix is moved to:
#   bin/tessera   lib/libtessera.so   lib/libtessera_kmeans.so   lib/tessera/libtessera_device_*.so
#   include/tessera, include/kmeans   lib/cmake/tessera

include(CMakePackageConfigHelpers)

set(TESSERA_INSTALL_MODULES ${CMAKE_INSTALL_LIBDIR}/tessera)
set(TESSERA_INSTALL_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)

# Found from where they stand, not by the absolute path of the prefix.
file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set(CMAKE_INSTALL_RPATH $ORIGIN $ORIGIN/${bin_to_lib})

# tessera_install_library(TARGET NAME FOLDER [HEADER...]): a library, exported as tessera::NAME, and the headers
# below FOLDER, which keep their place under include/, without the internal ones that are named.
function(tessera_install_library target name folder)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT tesseraTargets)
  set(exclusions "")
  foreach(header ${ARGN})
    list(APPEND exclusions PATTERN ${header} EXCLUDE)
  endforeach()
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.hpp" ${exclusions})
endfunction()

function(tessera_install_device target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN/..)
  install(TARGETS ${target} LIBRARY DESTINATION ${TESSERA_INSTALL_MODULES})
endfunction()

function(tessera_install_package)
  install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${TESSERA_INSTALL_PACKAGE})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tesseraConfig.cmake.in
    ${PROJECT_BINARY_DIR}/tesseraConfig.cmake INSTALL_DESTINATION ${TESSERA_INSTALL_PACKAGE})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
    DESTINATION ${TESSERA_INSTALL_PACKAGE})
endfunction()
