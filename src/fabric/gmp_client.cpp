#include "fabric/log.hpp"
#include "fabric/redirection.hpp"

#include <madrigal/fabric/gmp_client.hpp>

#include <fmt/format.h>

#include <map>
#include <utility>

namespace madrigal {
namespace {

/// Where the vendor classes 0x30 to 0x4f keep their OUI (IBA 16.5.1).
constexpr std::size_t vendor_oui_offset = 37;

/// Whom a redirection is of.
using place = std::pair<std::uint64_t, std::uint32_t>;

place place_of(destination const& one) noexcept
{
    return {one.key(), one.has_own_qp() ? one.qpn() : 1};
}

} // namespace

struct gmp_client::state {
    port on;
    agent over;
    umad::registration as;
    std::map<place, destination> redirected;
};

std::string describe_gmp(
    management_class of, method ask, std::uint16_t attribute_id, std::uint32_t modifier, destination const& to)
{
    return fmt::format("{}({}{}) of {}", to_string(ask), attribute_name(of, attribute_id),
        modifier != 0 ? fmt::format(", {}", modifier) : std::string{}, to_string(to));
}

result<gmp_client> gmp_client::open(port const& on, umad::registration const& as, gmp_options const& options)
{
    if (is_smp(static_cast<management_class>(as.management_class)))
        return error{errc::invalid_argument, "subnet management is no class of QP1"};
    agent_options how;
    how.window.size = options.outstanding;
    how.per_destination = options.per_destination;
    how.retry.timeout = options.timeout;
    how.retry.retries = options.retries;
    BOOST_OUTCOME_TRY(auto registered, on.register_agent(as, how));
    return gmp_client{std::make_shared<state>(state{on, std::move(registered), as, {}})};
}

management_class gmp_client::of() const noexcept
{
    return static_cast<management_class>(state_->as.management_class);
}

port const& gmp_client::on() const noexcept
{
    return state_->on;
}

agent const& gmp_client::over() const noexcept
{
    return state_->over;
}

void gmp_client::close() const noexcept
{
    state_->over.close();
}

raw_mad gmp_client::question(
    destination const& to, method ask, std::uint16_t attribute_id, std::uint32_t modifier) const noexcept
{
    raw_mad made{to, {}};
    mutable_mad_view const view{made.bytes};
    view.set_base_version(mad_base_version);
    view.set_mgmt_class(of());
    view.set_class_version(state_->as.class_version);
    view.set_method(ask);
    view.set_attribute_id(attribute_id);
    view.set_attribute_modifier(modifier);
    if (is_vendor_with_oui(of()))
        store_bits<8 * vendor_oui_offset, 24>(made.bytes.data(), state_->as.oui);
    return made;
}

destination gmp_client::goes_to(destination const& to) const
{
    auto const found = state_->redirected.find(place_of(to));
    return found == state_->redirected.end() ? to : found->second;
}

void gmp_client::forget(destination const& to) const
{
    state_->redirected.erase(place_of(to));
}

asio::awaitable<result<received_mad>> gmp_client::ask(raw_mad question, request_options options) const
{
    auto const self = *this; // whoever asks may forget its own
    auto const nominal = question.to;
    mad_view const asked{question.bytes};
    auto const explain = [&](error_code code, std::string const& more = {}) {
        auto what = describe_gmp(self.of(), asked.method(), asked.attribute_id(), asked.attribute_modifier(), nominal);
        if (auto const where = self.goes_to(nominal); place_of(where) != place_of(nominal))
            what += fmt::format(", redirected to {} QP {}", to_string(where), where.qpn());
        return error{code, what + more};
    };
    bool turned_back = false;
    for (unsigned hops = 0;;) {
        question.to = self.goes_to(nominal);
        auto got = co_await self.over().async_request(question, options, as_result);
        if (!got) {
            auto const why = explain(got.error().code());
            bool const elsewhere = place_of(question.to) != place_of(nominal);
            if (got.error() != errc::timeout || !elsewhere)
                co_return why;
            // Whoever was asked there may have gone; the destination itself knows where to.
            self.forget(nominal);
            if (turned_back)
                co_return why;
            turned_back = true;
            detail::fabric_log().debug("{}: asked anew", why.message());
            continue;
        }
        auto const mad = got.value().mad();
        auto const status = mad.outcome();
        if ((status & mad_status::redirect_required) != 0) {
            auto const info = mad.attribute<class_port_info>();
            auto const to =
                info ? detail::redirected_destination(*info, self.on()) : result<destination>{errc::malformed_answer};
            if (!to)
                co_return explain(to.error().code(), to.error().context().empty() ? "" : ": " + to.error().context());
            if (++hops > gmp_redirection_limit) {
                auto const why =
                    explain(errc::too_many_redirections, fmt::format(", which answers with redirection {}", hops));
                self.forget(nominal);
                co_return why;
            }
            self.state_->redirected.insert_or_assign(place_of(nominal), to.value());
            continue;
        }
        if (status != 0)
            co_return explain(make_mad_status(self.of(), status));
        if (mad.method() != response_to(asked.method()))
            co_return explain(
                errc::malformed_answer, fmt::format(": an answer with method {}", to_string(mad.method())));
        co_return got;
    }
}

} // namespace madrigal
