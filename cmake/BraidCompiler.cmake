# Stops with the whole list of packages when there is no C++ compiler: without one CMake can look for
# nothing else, and would complain about the compiler alone.
find_program(BRAID_ANY_COMPILER NAMES "$ENV{CXX}" "${CMAKE_CXX_COMPILER}" c++ g++ clang++ g++-12)
if(NOT BRAID_ANY_COMPILER)
  file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/scripts/packages.txt" lines)
  set(packages "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^\\[(.*)\\]")
      set(group "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^([a-z0-9][^ ]*)" AND group STREQUAL "build")
      string(APPEND packages " ${CMAKE_MATCH_1}")
    endif()
  endforeach()
  message(FATAL_ERROR "Braid needs a C++20 compiler and these packages. Install what is missing with\n"
                      "  apt-get install --no-remove${packages}\n"
                      "or run scripts/setup.sh")
endif()
