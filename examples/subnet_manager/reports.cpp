#include "reports.hpp"

#include <madrigal/wire/attributes/notice_report.hpp>
#include <madrigal/wire/format.hpp>
#include <madrigal/wire/trap.hpp>

#include <spdlog/spdlog.h>

namespace sm {
namespace {

using madrigal::destination;

void send(madrigal::sa_server const& by, madrigal::notice_report const& about, end_port const& to, std::uint32_t qpn)
{
    madrigal::raw_mad mad{destination{to.base_lid}.with_qp(qpn, madrigal::gsi_qkey), {}};
    madrigal::build_sa_request(
        mad.bytes, {.method_of_mad = madrigal::method::report}, madrigal::notice_report::layout.id, 0);
    (void)encode(about, std::span{mad.bytes}.subspan<madrigal::sa_data_offset>());
    madrigal::request_options how;
    how.timeout = std::chrono::milliseconds{500};
    how.retries = 3;
    by.over().async_request(mad, how, [lid = to.base_lid](madrigal::error_code code, madrigal::received_mad const&) {
        if (code && code != madrigal::errc::agent_closed)
            spdlog::debug("the subscriber at LID {} does not answer a report: {}", lid, code.message());
    });
}

} // namespace

void report(managed& known, madrigal::notice told, madrigal::lid issuer)
{
    if (!known.now || !known.administration || known.administration.is_paused())
        return;
    madrigal::notice_report about{told.is_generic, told.type, told.producer_type, told.trap_number, issuer,
        told.notice_toggle, told.notice_count, told.data_details, {}};
    if (auto const* const end = known.now->find(issuer))
        about.issuer_gid = known.now->gid_of(*end);
    known.subscriptions.for_each_subscriber(about, [&](madrigal::engine::subscription const& one) {
        if (auto const* const to = known.find(one.subscriber)) {
            ++known.counted.reports;
            send(known.administration, about, *to, one.qpn);
        }
    });
}

void report_gid(managed& known, std::uint16_t trap, madrigal::gid const& about)
{
    if (!known.now || known.now->own() == nullptr)
        return;
    madrigal::notice told;
    told.is_generic = true;
    told.type = madrigal::notice_type::subnet_management;
    told.producer_type = madrigal::notice_producer::class_manager;
    told.trap_number = trap;
    (void)encode(madrigal::gid_trap{about}, std::as_writable_bytes(std::span{told.data_details.bytes}));
    report(known, told, known.now->own()->base_lid);
}

void report_differences(managed& known, subnet const* before, subnet const& now)
{
    if (before == nullptr)
        return; // all of it is new, and nobody has subscribed yet
    for (auto const& end : before->ends)
        if (now.find(end.port_guid) == nullptr)
            report_gid(known, madrigal::trap_number::gid_out_of_service, before->gid_of(end));
    for (auto const& end : now.ends)
        if (before->find(end.port_guid) == nullptr)
            report_gid(known, madrigal::trap_number::gid_in_service, known.now->gid_of(end));
}

} // namespace sm
