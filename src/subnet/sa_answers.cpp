// How the answers of a server of subnet administration are sent.
#include "subnet/sa_server_core.hpp"

#include <madrigal/wire/rmpp.hpp>

#include <algorithm>
#include <utility>

namespace madrigal::detail {
namespace {

/// Makes headers of a question those of its answer, but for what every reply sets itself.
void turn_around(std::span<std::byte> headers, std::size_t stride)
{
    store_bits<288, 64>(headers.data(), 0); // no answer tells the SM_Key
    store_bits<352, 16>(headers.data(), stride / sa_record_step);
}

} // namespace

struct sa_server_core::sent_one {
    std::shared_ptr<sa_server_core> self;

    void operator()(error_code const& why) const { ++(why ? self->counters_.dropped : self->counters_.answered); }
};

struct sa_server_core::table_on_its_way {
    engine::rmpp_key key;
    std::uint64_t number;
    destination to;
    std::array<std::byte, sa_data_offset> headers; // of the question
    table_charge charge{};
    std::size_t records = 0;
    std::uint64_t bytes = 0;
    std::weak_ptr<work> by{}; // where it is sent as it comes
    bool is_stream = false;
};

struct sa_server_core::sent_table {
    std::shared_ptr<sa_server_core> self;
    std::shared_ptr<table_on_its_way> table;

    void operator()(error_code const& why) const { self->on_table_sent(*table, why); }
};

void sa_server_core::finish(sa_exchange& one, engine::rmpp_key const& key, std::uint64_t number, std::uint16_t status)
{
    if (status == mad_status::ok)
        status = one.status_of_records();
    if (status == mad_status::ok && one.mad().method() == method::get_table) {
        send_table(one, key, number);
        return;
    }
    leave(key, number);
    if (status == mad_status::ok)
        send_one(one);
    else
        refuse(one.asked, status);
}

void sa_server_core::refuse(request& asked, std::uint16_t status)
{
    ++(status == mad_status::busy ? counters_.busy : counters_.refused);
    turn_around(asked.answer().bytes(), 0);
    asked.reply(status, sent_one{shared_from_this()});
}

void sa_server_core::send_one(sa_exchange& one)
{
    turn_around(one.asked.answer().bytes(), 0);
    if (!one.one().empty())
        one.asked.payload().copy_from(one.one());
    ++counters_.records;
    counters_.bytes += one.one().size();
    one.asked.reply(mad_status::ok, sent_one{shared_from_this()});
}

std::shared_ptr<sa_server_core::table_on_its_way> sa_server_core::on_its_way(
    sa_exchange const& one, engine::rmpp_key const& key, std::uint64_t number) const
{
    auto made = std::make_shared<table_on_its_way>(
        table_on_its_way{.key = key, .number = number, .to = one.asked.received().reply_to(), .headers = {}});
    std::copy(one.headers().begin(), one.headers().end(), made->headers.begin());
    return made;
}

void sa_server_core::send_table(sa_exchange& one, engine::rmpp_key const& key, std::uint64_t number)
{
    auto const data = one.table().bytes();
    auto const sent = on_its_way(one, key, number);
    sent->records = one.records();
    sent->bytes = data.size();
    enter(key, {number, {}});
    turn_around(one.asked.answer().bytes(), one.stride());
    one.asked.reply_with(data, mad_status::ok, sent_table{shared_from_this(), sent});
    sent->charge = one.table().release(); // the agent, or the kernel, has a copy
}

bool sa_server_core::begin_stream(work& one)
{
    table_charge charge;
    if (!charge.add(limits_.budget, options_.stream_window))
        return false; // others have the bytes now: it is made in one piece for as long
    auto const found = in_work_.find(one.key);
    if (found == in_work_.end())
        return false;
    one.sent = on_its_way(one, one.key, one.number);
    one.sent->charge = std::move(charge);
    one.sent->by = found->second.by;
    one.sent->is_stream = true;
    one.stream_by(reply_stream{options_.stream_window});
    turn_around(one.asked.answer().bytes(), one.stride());
    one.asked.reply_by(*one.stream(), mad_status::ok, sent_table{shared_from_this(), one.sent});
    return true;
}

void sa_server_core::end_stream(work& one, std::uint16_t status)
{
    one.sent->records = one.records();
    one.sent->bytes = one.stream()->size();
    if (status == mad_status::ok && one.status_of_records() == mad_status::ok)
        one.stream()->finish();
    else
        one.stream()->abort(); // what has gone cannot be taken back, but all of it must not look good
}

bool sa_server_core::never_begins(error_code const& why) const noexcept
{
    // Of a kernel that does RMPP, an errno says that it has taken nothing.
    return why == errc::invalid_argument || (!options_.user_rmpp && why.category() == boost::system::system_category());
}

void sa_server_core::refuse_late(table_on_its_way const& sent, std::uint16_t status)
{
    ++(status == mad_status::busy ? counters_.busy : counters_.refused);
    raw_mad answer{sent.to, {}};
    std::copy(sent.headers.begin(), sent.headers.end(), answer.bytes.begin());
    mutable_mad_view const mad{answer.bytes};
    turn_around(answer.bytes, 0);
    mad.set_method(response_to(mad.method()));
    mad.set_status(status);
    (void)set_rmpp_header(mad, {});
    over_.async_send(answer, sent_one{shared_from_this()});
}

void sa_server_core::on_table_sent(table_on_its_way& sent, error_code const& why)
{
    leave(sent.key, sent.number);
    sent.charge = {};
    if (auto const by = sent.by.lock())
        by->end();
    if (!why) {
        counters_.streamed += sent.is_stream ? 1 : 0;
        ++counters_.answered;
        ++counters_.tables;
        counters_.records += sent.records;
        counters_.bytes += sent.bytes;
    } else if (why == errc::queue_full && !paused_) {
        // So many transfers are on their way that this one never began.
        refuse_late(sent, mad_status::busy);
    } else if (never_begins(why) && !paused_) {
        refuse_late(sent, mad_status::sa_no_resources);
    } else {
        ++counters_.dropped;
    }
}

} // namespace madrigal::detail
