#include <madrigal/engine/rmpp_error.hpp>

#include <boost/system/errc.hpp>

#include <string>

namespace madrigal::engine {
namespace {

/// Values are end and status, 8 bits each.
class rmpp_category_type final : public boost::system::error_category {
public:
    constexpr rmpp_category_type() noexcept : error_category{0x6d61'6472'6d70'7072ULL} {}

    char const* name() const noexcept override { return "rmpp"; }

    std::string message(int value) const override
    {
        return to_string(
            rmpp_outcome{static_cast<rmpp_end>(value >> 8 & 0xFF), static_cast<rmpp_status>(value & 0xFF)});
    }
};

constinit rmpp_category_type const rmpp_instance{};

} // namespace

boost::system::error_category const& rmpp_category() noexcept
{
    return rmpp_instance;
}

error_code make_rmpp_error(rmpp_outcome outcome) noexcept
{
    switch (outcome.end) {
    case rmpp_end::complete: return {};
    case rmpp_end::too_long:
    case rmpp_end::unanswered: return errc::timeout;
    case rmpp_end::no_resources: return errc::message_too_long;
    case rmpp_end::cancelled:
        return {static_cast<int>(boost::system::errc::operation_canceled), boost::system::system_category()};
    case rmpp_end::not_yet:
    case rmpp_end::aborted:
    case rmpp_end::stopped:
    case rmpp_end::refused: break;
    }
    return {static_cast<int>(outcome.end) << 8 | static_cast<int>(outcome.status), rmpp_instance};
}

rmpp_outcome rmpp_outcome_of(error_code code) noexcept
{
    if (code.category() != rmpp_instance)
        return {};
    return {static_cast<rmpp_end>(code.value() >> 8), static_cast<rmpp_status>(code.value() & 0xFF)};
}

} // namespace madrigal::engine
