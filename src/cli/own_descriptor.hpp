// Standard input and output for an event loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace madrigal::cli {

/// Opens what is behind a standard descriptor anew where that can be, and duplicates it elsewhere: a loop sets its
/// descriptors not to block, which whoever shares them, a shell or a pipeline, would notice. `access` is O_RDONLY or
/// O_WRONLY. Not open where the descriptor is not.
[[nodiscard]] boost::asio::posix::stream_descriptor own_descriptor(
    boost::asio::any_io_executor const& executor, int descriptor, int access);

} // namespace madrigal::cli
