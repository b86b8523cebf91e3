# madrigal_room(<name> SOURCES <file>... [LIBRARIES <target>...] [PCH <header>... | PCH_OF <target>])
#
# A room of the house: an object library whose objects go into libmadrigal. With PCH_OF it uses the precompiled headers of
# a target that is compiled with the same flags.
function(madrigal_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "PCH_OF" "SOURCES;LIBRARIES;PCH")
  add_library(madrigal_${name} OBJECT ${room_SOURCES})
  set_target_properties(madrigal_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(madrigal_${name}
    PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(madrigal_${name}
    PRIVATE madrigal_options
    PUBLIC Boost::headers fmt::fmt ${room_LIBRARIES})
  if(room_PCH)
    target_precompile_headers(madrigal_${name} PRIVATE ${room_PCH})
  elseif(room_PCH_OF)
    target_precompile_headers(madrigal_${name} REUSE_FROM ${room_PCH_OF})
  endif()
  set_property(GLOBAL APPEND PROPERTY MADRIGAL_ROOMS ${name})
endfunction()

# madrigal_test(<name> SOURCES <file>... [LIBRARIES <target>...] [PCH <header>... | PCH_OF <target>]
#               [LABEL <label>])
#
# A GoogleTest program whose cases become ctest tests, named as in the source. With the label vm, interop, fuzz or soak
# they are left out of `./dev test`.
function(madrigal_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "LABEL;PCH_OF" "SOURCES;LIBRARIES;PCH")
  add_executable(${name} ${test_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE madrigal madrigal_options GTest::gmock GTest::gtest_main ${test_LIBRARIES})
  if(test_PCH)
    target_precompile_headers(${name} PRIVATE ${test_PCH})
  elseif(test_PCH_OF)
    target_precompile_headers(${name} REUSE_FROM ${test_PCH_OF})
  endif()
  set(label "")
  if(test_LABEL)
    set(label LABELS ${test_LABEL})
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 ${label})
endfunction()
