cmake_minimum_required(VERSION 3.25)

# run(COMMAND...): fails the test where the command fails, and where its output lacks EXPECT.
function(run)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "EXPECT" "COMMAND")
  execute_process(COMMAND ${arg_COMMAND} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  list(JOIN arg_COMMAND " " line)
  message("$ ${line}\n${output}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "exit status ${result}")
  endif()
  if(DEFINED arg_EXPECT AND NOT output MATCHES "${arg_EXPECT}")
    message(FATAL_ERROR "the output does not match: ${arg_EXPECT}")
  endif()
endfunction()

# The C++ example of README.md, as it stands there.
function(extract_readme_example target)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/../../README.md readme)
  string(FIND "${readme}" "```cpp\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "README.md has no C++ example")
  endif()
  math(EXPR begin "${begin} + 7")
  string(SUBSTRING "${readme}" ${begin} -1 rest)
  string(FIND "${rest}" "```" end)
  string(SUBSTRING "${rest}" 0 ${end} example)
  file(WRITE ${target} "${example}")
endfunction()

# Nothing of the build may be found by way of the environment.
unset(ENV{TESSERA_DEVICE_PATH})
unset(ENV{LD_LIBRARY_PATH})

set(prefix ${WORK}/moved)
file(REMOVE_RECURSE ${WORK})
run(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${prefix})

run(COMMAND ${prefix}/bin/tessera devices EXPECT "${prefix}/${LIBDIR}/tessera/libtessera_device_cpu.so")

extract_readme_example(${WORK}/source/readme.cpp)
set(flags "-Wall -Wextra -Werror")
if(SANITIZE)
  string(APPEND flags " -fsanitize=${SANITIZE}")
endif()
file(COPY ${CMAKE_CURRENT_LIST_DIR}/consumer/ DESTINATION ${WORK}/source)
run(COMMAND ${CMAKE_COMMAND} -S ${WORK}/source -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${prefix}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${flags})
run(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build)
run(COMMAND ${WORK}/build/readme EXPECT "cpu.*reference")

# A device of somebody else's: found by TESSERA_DEVICE_PATH, and where it is installed.
set(ENV{TESSERA_DEVICE_PATH} ${WORK}/build)
run(COMMAND ${prefix}/bin/tessera devices EXPECT "no devices: this one is only an example")
unset(ENV{TESSERA_DEVICE_PATH})
run(COMMAND ${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/unused)
run(COMMAND ${prefix}/bin/tessera devices
  EXPECT "${prefix}/${LIBDIR}/tessera/libtessera_device_example.so.*this one is only an example")
