# How the project is compiled. Presets (CMakePresets.json) set these; a plain build is optimised.
option(BRAID_BUILD_TESTS "Build the tests" ON)
option(BRAID_BUILD_BENCH "Build the benchmarks" OFF)
option(BRAID_WERROR "Treat warnings in our own code as errors" OFF)
option(BRAID_FAIL_POINTS "Compile in the fail points of the tests (state/faults); not for use" OFF)
set(BRAID_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")
option(BRAID_FUZZ "Build the fuzzers of tests/fuzz (clang)" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# What the shared library shows is marked by BRAID_EXPORT.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(BRAID_CCACHE ccache)
if(BRAID_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${BRAID_CCACHE}")
endif()

if(BRAID_SANITIZE)
  add_compile_options(-fsanitize=${BRAID_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BRAID_SANITIZE})
endif()
if(BRAID_FUZZ)
  # libFuzzer sees which branches an input takes.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
