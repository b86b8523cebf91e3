#include <madrigal/wire/communication.hpp>

#include <array>
#include <span>
#include <string_view>

namespace madrigal {

namespace {

// By their numbers.
constexpr std::array<std::string_view, 34> reject_reasons{"", "no QP available", "no EEC available",
    "no resources available", "timeout", "unsupported request", "invalid communication id",
    "invalid communication instance", "invalid service id", "invalid transport service type", "stale connection",
    "the reliable datagram channel does not exist", "primary remote port GID rejected",
    "primary remote port LID rejected", "invalid primary SL", "invalid primary traffic class",
    "invalid primary hop limit", "invalid primary packet rate", "alternate remote port GID rejected",
    "alternate remote port LID rejected", "invalid alternate SL", "invalid alternate traffic class",
    "invalid alternate hop limit", "invalid alternate packet rate", "port and CM redirection", "port redirection",
    "invalid path MTU", "insufficient responder resources", "rejected by the consumer", "invalid RNR retry count",
    "duplicate local communication id", "invalid class version", "invalid primary flow label",
    "invalid alternate flow label"};

constexpr std::array<std::string_view, 14> path_statuses{"alternate path loaded", "invalid communication id",
    "alternate paths are not supported", "rejected", "redirection", "the proposed path is in use",
    "QPN or EECN do not match", "LID rejected", "GID rejected", "flow label rejected", "traffic class rejected",
    "hop limit rejected", "packet rate rejected", "SL rejected"};

constexpr std::array<std::string_view, 6> sidr_statuses{"valid", "service id not supported", "rejected by the provider",
    "no QP available", "redirection", "version not supported"};

std::string described(unsigned number, std::span<std::string_view const> meanings)
{
    auto text = std::to_string(number);
    if (number < meanings.size() && !meanings[number].empty())
        text += ": " + std::string{meanings[number]};
    return text;
}

} // namespace

std::string to_string(cm_message value)
{
    switch (value) {
    case cm_message::req: return "REQ";
    case cm_message::rep: return "REP";
    case cm_message::other: return "Other";
    }
    return std::to_string(static_cast<unsigned>(value));
}

std::string to_string(cm_reject_reason value)
{
    return described(static_cast<unsigned>(value), reject_reasons);
}

std::string to_string(cm_path_status value)
{
    return described(static_cast<unsigned>(value), path_statuses);
}

std::string to_string(cm_sidr_status value)
{
    return described(static_cast<unsigned>(value), sidr_statuses);
}

} // namespace madrigal
