// What goes with a packet whose MAD is not all.
#pragma once

#include <madrigal/engine/growing_message.hpp>
#include <madrigal/engine/whole_message.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace madrigal::engine {

/// Is given the data of an answer as it comes: the headers of its first MAD, up to where the class's data begins, and
/// the next bytes of the data. Both are borrowed for the call.
using data_sink = std::function<void(std::span<std::byte const> headers, std::span<std::byte const> data)>;

/// A sink, and whether it has been called.
struct data_stream {
    data_sink sink;
    bool begun = false;
};

/// What goes with a packet whose MAD is not all.
struct packet_attachment {
    /// umad header (64 bytes), MAD and the data behind it, of a message that goes or came by RMPP; the packet has the
    /// first 320 bytes of it too, and counts where the two differ. Empty where the packet's own bytes are all there is.
    whole_message message;
    /// Of a question: who gets the data of the answer.
    std::shared_ptr<data_stream> stream;
    /// Of an answer whose data is still being made; the packet has its headers.
    std::shared_ptr<growing_message> growing;
};

} // namespace madrigal::engine
