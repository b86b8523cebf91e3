// What an agent with RMPP takes and how it sends.
#pragma once

#include <madrigal/engine/rmpp_transfers.hpp>

namespace madrigal {

/// Who does the RMPP of an agent: its registration says it.
enum class rmpp_by : std::uint8_t {
    nobody, ///< `rmpp_version` 0: packets of transfers are MADs like any other
    kernel, ///< `rmpp_version` 1
    agent,  ///< `rmpp_version` 1 and the flag `user_rmpp`
};

/// What an agent with RMPP takes and how it sends. Where the kernel does RMPP only `transfers.receiving.max_message`,
/// `transfers.max_question` and `transfers.max_bytes` count; `sending.retries`, how often it repeats segments without
/// an acknowledgement, every two seconds; and `sending.total`, how long after its timeouts a question by transfer may
/// end, since the kernel does not tell of a transfer that the peer has aborted.
///
/// `transfers.max_bytes` bounds the messages that are arriving and those that the program still holds. A quarter of it
/// is for questions, so that these cannot keep out what has been asked for.
struct rmpp_options {
    engine::rmpp_transfers_options transfers{};
    engine::rmpp_sender_options sending{};
};

} // namespace madrigal
