# braid_add_library(NAME SOURCES ... LINKS ... PRIVATE_LINKS ...): one target a folder.
# A target sees the public headers and, as "folder/file.h", the whole tree; which folders it may
# include from is what it links, and tests/tidy checks that.
function(braid_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlaps in std::string's own code that cannot be (GCC bug 105329).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(BRAID_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

function(braid_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/include"
                                            "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  braid_compile_options(${name})
  set_property(GLOBAL APPEND PROPERTY BRAID_LIBRARIES ${name})
endfunction()

# braid_sources_with_asio(SOURCES ...): Boost.Asio orders memory by a fence, which GCC's thread
# sanitizer does not follow and warns of. What we share between threads is behind locks.
function(braid_sources_with_asio)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND BRAID_SANITIZE MATCHES "thread")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -Wno-tsan)
  endif()
endfunction()
