#include <madrigal/engine/rmpp.hpp>

namespace madrigal::engine {
namespace {

char const* name_of(rmpp_end end) noexcept
{
    switch (end) {
    case rmpp_end::not_yet: return "the transfer goes on";
    case rmpp_end::complete: return "the transfer is complete";
    case rmpp_end::aborted: return "the peer aborted the transfer";
    case rmpp_end::stopped: return "the peer stopped the transfer";
    case rmpp_end::refused: return "the peer broke the protocol of the transfer";
    case rmpp_end::too_long: return "the transfer took too long";
    case rmpp_end::unanswered: return "the peer does not acknowledge";
    case rmpp_end::no_resources: return "the message takes more memory than allowed";
    case rmpp_end::cancelled: return "the transfer was cancelled";
    }
    return "the transfer ended";
}

} // namespace

std::string to_string(rmpp_outcome outcome)
{
    std::string text = name_of(outcome.end);
    if (outcome.status != rmpp_status::normal)
        text += ", " + to_string(outcome.status);
    return text;
}

} // namespace madrigal::engine
