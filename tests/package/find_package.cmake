# Configures, builds and runs the consumer with find_package(madrigal).
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CONSUMER} -B ${STAGE}/consumer -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_PREFIX_PATH=${STAGE}/prefix -DEVERY_HEADER=${STAGE}/every_header.cpp -DWANTED=${VERSION} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${STAGE}/consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${STAGE}/consumer/consumer COMMAND_ERROR_IS_FATAL ANY)
