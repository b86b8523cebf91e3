# Builds and runs the consumer with the flags that pkg-config gives.
set(ENV{PKG_CONFIG_PATH} ${STAGE}/prefix/${LIBDIR}/pkgconfig)
execute_process(COMMAND pkg-config --cflags --libs "madrigal = ${VERSION}" OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
set(ENV{LD_LIBRARY_PATH} ${STAGE}/prefix/${LIBDIR})
execute_process(COMMAND ${CXX} -std=c++20 ${CONSUMER}/consumer.cpp -o ${STAGE}/consumer_by_pkg_config ${flags}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${STAGE}/consumer_by_pkg_config COMMAND_ERROR_IS_FATAL ANY)
