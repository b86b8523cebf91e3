# Build options, warnings and sanitizers, in one interface target that every target of the project links.

option(MADRIGAL_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(MADRIGAL_BUILD_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(MADRIGAL_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(MADRIGAL_BUILD_PROGRAM "Build the program madrigal" ${PROJECT_IS_TOP_LEVEL})
option(MADRIGAL_BUILD_LIBIBUMAD "Build libmadrigal-umad where libibumad's header is installed" ${PROJECT_IS_TOP_LEVEL})
option(MADRIGAL_BUILD_FUZZERS "Build the fuzz targets, which need Clang's libFuzzer" OFF)
option(MADRIGAL_WERROR "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})
set(MADRIGAL_SANITIZE "" CACHE STRING "Sanitizers: address;undefined, or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(MADRIGAL_CCACHE ccache)
if(MADRIGAL_CCACHE AND PROJECT_IS_TOP_LEVEL)
  # Precompiled headers are only cached with these leniences (ccache manual, "Precompiled headers"); the other two let
  # clones in different folders share results.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${MADRIGAL_CCACHE})
endif()

add_library(madrigal_options INTERFACE)
target_compile_options(madrigal_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Woverloaded-virtual -Wimplicit-fallthrough
  $<$<BOOL:${MADRIGAL_WERROR}>:-Werror>
  # GCC 12 sees uninitialised members in std::optional, Outcome and coroutine frames that are never read, and
  # overlapping copies in std::string's operator+ (GCC bug 105651), and takes Asio's coroutine frames, made and freed by
  # a pair of their own, for mismatched ones.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>
  # Clang does not know noipa.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-attributes>)
if(MADRIGAL_SANITIZE)
  list(JOIN MADRIGAL_SANITIZE "," sanitizers)
  target_compile_options(madrigal_options INTERFACE -fsanitize=${sanitizers} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(madrigal_options INTERFACE -fsanitize=${sanitizers})
  if(sanitizers MATCHES "address" AND NOT MADRIGAL_BUILD_FUZZERS)
    # Its checks of pointers for null cost a quarter of the compiler's time; a read or write through one is a fault that
    # AddressSanitizer reports. References to nothing that nobody reads are left to the fuzz targets, which check all.
    target_compile_options(madrigal_options INTERFACE -fno-sanitize=null)
  endif()
  if(sanitizers STREQUAL "thread")
    # ThreadSanitizer cannot follow the fences that Asio puts around handlers, and GCC says so; the locks stay.
    target_compile_definitions(madrigal_options INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
    # The fence in its counting of shared executors cannot be left out: GCC only warns, and cmake/tsan.supp names it.
    target_compile_options(madrigal_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
endif()
if(MADRIGAL_BUILD_FUZZERS)
  target_compile_options(madrigal_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

configure_file(${CMAKE_CURRENT_LIST_DIR}/version.hpp.in ${PROJECT_BINARY_DIR}/include/madrigal/version.hpp @ONLY)
