# cmake --install: the braid command, libbraid.so, the public headers, and what find_package(braid) and
# pkg-config need to find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
if(BRAID_FAIL_POINTS)
  install(CODE "message(WARNING \"a build with BRAID_FAIL_POINTS is for tests alone\")")
endif()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/braid")
install(TARGETS braid RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(
  TARGETS braid_shared
  EXPORT braid
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(
  DIRECTORY include/braid
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h")
install(
  EXPORT braid
  NAMESPACE braid::
  FILE braid-config.cmake
  DESTINATION "${package_folder}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/braid-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/braid-config-version.cmake"
        DESTINATION "${package_folder}")
file(RELATIVE_PATH prefix_from_pkgconfig "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(cmake/braid.pc.in braid.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/braid.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
