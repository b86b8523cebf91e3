# What `cmake --install` lays down: headers, library, program, CMake package, pkg-config file, manual pages and licence.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/madrigal ${PROJECT_BINARY_DIR}/include/madrigal
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(TARGETS madrigal EXPORT madrigalTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET madrigal_program)
  install(TARGETS madrigal_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET madrigal_umad_library)
  # No header: libibumad's own is the interface. The second one only where somebody asks for it by its folder.
  install(TARGETS madrigal_umad_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS madrigal_umad_as_libibumad LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/madrigal)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/madrigal)
install(EXPORT madrigalTargets NAMESPACE madrigal:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/madrigalConfig.cmake.in ${PROJECT_BINARY_DIR}/madrigalConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/madrigalConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/madrigalConfig.cmake ${PROJECT_BINARY_DIR}/madrigalConfigVersion.cmake
  DESTINATION ${package_dir})

# The paths in the pkg-config file start from where it lies, so that an installed tree may be moved.
file(RELATIVE_PATH madrigal_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(MADRIGAL_PCAP_FLAG "")
if(MADRIGAL_HAS_PCAP)
  set(MADRIGAL_PCAP_FLAG " -lpcap")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/madrigal.pc.in ${PROJECT_BINARY_DIR}/madrigal.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/madrigal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB manual_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
