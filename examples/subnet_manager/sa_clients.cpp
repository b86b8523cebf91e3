#include "administration.hpp"

#include <madrigal/wire/attributes/inform_info_record.hpp>
#include <madrigal/wire/attributes/service_record.hpp>

#include <array>
#include <optional>

namespace sm {
namespace {

using namespace madrigal; // NOLINT: records and components are named all over this file

constexpr std::array<std::uint16_t, 1> p_keys{0xFFFF}; ///< of every port

template <wire_layout T>
std::optional<gid> asker(managed const& known, sa_asked<T> const& asked)
{
    auto const* const end = known.now ? asked.asker(*known.now) : nullptr;
    return end != nullptr ? std::optional{known.now->gid_of(*end)} : std::nullopt;
}

void serve_services(sa_server const& server, managed& known)
{
    using asked_type = sa_asked<service_record>;
    using records_type = sa_records<service_record>;
    auto const tell = [](engine::service_outcome const& outcome, records_type& out) {
        if (outcome.ok())
            (void)out.add(outcome.record);
        return outcome.status;
    };
    server.serve<service_record>(method::set, [&known, tell](asked_type const& asked, records_type& out) {
        engine::service_registry::p_key_table keys;
        if (known.find(asked.record().service_gid) != nullptr)
            keys = p_keys;
        return tell(
            known.services.set(asked.query(), keys, known.port.time().now(), asker(known, asked).value_or(gid{})), out);
    });
    server.serve<service_record>(method::delete_, [&known, tell](asked_type const& asked, records_type& out) {
        return tell(known.services.remove(asked.query(), asked.trusted(), known.port.time().now()), out);
    });
    server.serve<service_record>([&known](asked_type const& asked, records_type& out) -> std::uint16_t {
        auto const now = known.port.time().now();
        (void)known.services.expire(now);
        out.interprets_all();
        (void)known.services.find(
            asked.query(), asked.trusted(), now, [&](service_record const& one) { return out.add(one); });
        return mad_status::ok;
    });
}

void serve_subscriptions(sa_server const& server, managed& known)
{
    server.serve<inform_info>(
        method::set, [&known](sa_asked<inform_info> const& asked, sa_records<inform_info>& out) -> std::uint16_t {
            auto const outcome = known.subscriptions.set(
                asked.record(), asker(known, asked), asked.address().qpn.value(), asked.trusted());
            if (outcome.ok())
                (void)out.add(outcome.record);
            return outcome.status;
        });
    server.serve<inform_info_record>(
        [&known](sa_asked<inform_info_record> const& asked, sa_records<inform_info_record>& out) -> std::uint16_t {
            out.interprets_all();
            (void)known.subscriptions.find(asked.query(), asker(known, asked), asked.trusted(),
                [&](inform_info_record const& one) { return out.add(one); });
            return mad_status::ok;
        });
}

} // namespace

void serve_clients(sa_server const& server, managed& known)
{
    serve_services(server, known);
    serve_subscriptions(server, known);
}

} // namespace sm
