// Asking another subnet manager for its SMInfo, in a way that it may answer with its SM_Key.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/fabric/smp_client.hpp>
#include <madrigal/runtime/received_mad.hpp>
#include <madrigal/wire/attributes/sm_info.hpp>

#include <boost/asio/awaitable.hpp>

namespace madrigal::detail {

/// Get(SMInfo) that carries what the asker says of itself, with the client's M_Key.
[[nodiscard]] raw_mad sm_info_question(smp_client const& by, destination const& whom, sm_info const& own);
/// What its answer says. Errors: its MAD status; errc::malformed_answer.
[[nodiscard]] result<sm_info> sm_info_answer(received_mad const& answer);

/// Both. The client must live until then. Errors: as of `smp_client::get`.
[[nodiscard]] asio::awaitable<result<sm_info>> ask_sm_info(smp_client const& by, destination whom, sm_info own);

} // namespace madrigal::detail
