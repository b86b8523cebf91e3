// What client and server say to each other. Both run on one machine, so integers are in its own byte order.
//
// Every connection is a Unix socket of type SOCK_SEQPACKET, whose messages arrive whole or not at all. The first
// message says what the connection is for:
//
// - `hello`: a control connection, one for each process and server: a question, its answer, the next question.
// - `open_port`: a umad file. After the answer, which names the file's token, messages are packets as read(2) and
//   write(2) of a umad file have them, without anything around them. Of a packet longer than `longest_inline` only the
//   beginning comes, with a number behind it (`long_packet`) by which the rest is asked for. The connection's end is
//   the file's.
// - `open_issm`: an issm file, held until the connection ends.
//
// Whatever of a file needs the kernel's answer (registering; writes that may be refused) goes over the control
// connection with the file's token; the server first takes what the file's own connection still has. Long packets go
// over the control connection too, in pieces, in both directions. No descriptors travel: who takes some from strangers
// can be made to run out of them, and to wait where they are closed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace madrigal::remote {

inline constexpr std::uint32_t magic = 0x4472'6d61;
/// Raised whenever anything changes: server and clients are of one build or say why they do not talk.
inline constexpr std::uint16_t protocol_version = 1;

/// Of questions and answers, in bytes.
inline constexpr std::size_t longest_message = 96 * 1024;
/// Of packets that are sent as they are, in bytes: a MAD with its header.
inline constexpr std::size_t longest_inline = 320;
/// Of a piece of a packet.
inline constexpr std::size_t longest_piece = 64 * 1024;
/// Of packets at all: what the emulated kernel takes, with its header.
inline constexpr std::size_t longest_packet = 128 * 1024 * 1024 + 4096;
/// Of a name of a CA.
inline constexpr std::size_t longest_name = 256;

/// What a message asks for.
enum class operation : std::uint16_t {
    hello = 1,
    ca_names,
    query_ca,
    query_port,
    query_subnet,
    issm_path,
    open_port,
    open_issm,
    enable_pkey,
    register_agent,
    register_agent2,
    unregister_agent,
    write,
    write_piece,
    read_piece,
};

/// Before every question and every answer.
struct message_head {
    std::uint32_t magic = remote::magic;
    std::uint16_t version = protocol_version;
    operation what = operation::hello;
    std::uint64_t sequence = 0; ///< of the question; the answer repeats it
};
static_assert(sizeof(message_head) == 16);

/// Behind the first `longest_inline` bytes of a packet that is longer.
struct long_packet {
    std::uint64_t number = 0; ///< for `read_piece`
    std::uint64_t size = 0;   ///< of the whole
};
/// What messages on a file's connection have at most.
inline constexpr std::size_t longest_file_message = longest_inline + sizeof(long_packet);

} // namespace madrigal::remote
