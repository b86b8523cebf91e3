# Installs the built tree, moves it, and looks for what must be there.
file(REMOVE_RECURSE ${STAGE})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${STAGE}/before OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${STAGE}/before ${STAGE}/prefix)

foreach(file include/madrigal/error.hpp include/madrigal/version.hpp ${LIBDIR}/pkgconfig/madrigal.pc
    ${LIBDIR}/cmake/madrigal/madrigalConfig.cmake share/doc/madrigal/LICENSE)
  if(NOT EXISTS ${STAGE}/prefix/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

if(EXISTS ${STAGE}/prefix/bin/madrigal)
  execute_process(COMMAND ${STAGE}/prefix/bin/madrigal --version OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said MATCHES "${VERSION}")
    message(FATAL_ERROR "the installed program says it is '${said}', not ${VERSION}")
  endif()
endif()

if(WITH_LIBIBUMAD)
  foreach(file libmadrigal-umad.so.0 madrigal/libibumad.so.3)
    if(NOT EXISTS ${STAGE}/prefix/${LIBDIR}/${file})
      message(FATAL_ERROR "not installed: ${file}")
    endif()
  endforeach()
  if(EXISTS ${STAGE}/prefix/bin/madrigal)
    execute_process(COMMAND ${STAGE}/prefix/bin/madrigal run -- sh -c "echo $LD_PRELOAD" OUTPUT_VARIABLE said
      COMMAND_ERROR_IS_FATAL ANY)
    if(NOT said STREQUAL "${STAGE}/prefix/${LIBDIR}/libmadrigal-umad.so.0\n")
      message(FATAL_ERROR "the installed program preloads '${said}'")
    endif()
  endif()
endif()

# Each public header once more, for the consumer to include: none may need a file that is not installed.
file(GLOB_RECURSE headers RELATIVE ${STAGE}/prefix/include ${STAGE}/prefix/include/*.hpp)
list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n")
list(JOIN headers "" includes)
file(WRITE ${STAGE}/every_header.cpp "${includes}")
