#include <sim/sa_server.hpp>

#include <sim/addresses.hpp>
#include <sim/core.hpp>
#include <sim/kernel_port.hpp>
#include <sim/sa_question.hpp>

#include <madrigal/wire/attribute_id.hpp>
#include <madrigal/wire/rmpp.hpp>
#include <madrigal/wire/sa.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <utility>

namespace madrigal::sim {
namespace {

/// A record and the methods that it has.
struct served_record {
    std::uint16_t id;
    std::initializer_list<method> methods;
    sa_reply (*answer)(sa_question const& question);
};

served_record const served[] = {
    {attribute_id::class_port_info, {method::get}, answer_class_port_info},
    {attribute_id::node_record, {method::get, method::get_table}, answer_node_records},
    {attribute_id::port_info_record, {method::get, method::get_table}, answer_port_info_records},
    {attribute_id::switch_info_record, {method::get, method::get_table}, answer_switch_info_records},
    {attribute_id::linear_forwarding_table_record, {method::get, method::get_table}, answer_forwarding_records},
    {attribute_id::sm_info_record, {method::get, method::get_table}, answer_sm_info_records},
    {attribute_id::link_record, {method::get, method::get_table}, answer_link_records},
    {attribute_id::guid_info_record, {method::get, method::get_table}, answer_guid_info_records},
    {attribute_id::p_key_table_record, {method::get, method::get_table}, answer_p_key_records},
    {attribute_id::path_record, {method::get, method::get_table}, answer_path_records},
    {attribute_id::service_record, {method::get, method::set, method::get_table, method::delete_},
        answer_service_records},
    {attribute_id::mc_member_record, {method::get, method::set, method::get_table, method::delete_},
        answer_member_records},
    {attribute_id::inform_info, {method::set}, answer_inform_info},
    {attribute_id::inform_info_record, {method::get, method::get_table}, answer_inform_info_records},
};

served_record const* find_record(std::uint16_t id) noexcept
{
    auto const* const found =
        std::find_if(std::begin(served), std::end(served), [&](auto const& one) { return one.id == id; });
    return found == std::end(served) ? nullptr : found;
}

bool is_method(method value) noexcept
{
    return value == method::get || value == method::set || value == method::get_table || value == method::delete_;
}

std::unique_ptr<engine::rmpp_transfers> make_transfers(std::uint64_t seed)
{
    engine::rmpp_transfers_options options;
    options.receiving.max_message = sa_server::longest_question;
    options.max_question = sa_server::longest_question;
    options.max_bytes = sa_server::most_question_bytes;
    options.hash_seed = seed;
    return std::make_unique<engine::rmpp_transfers>(options);
}

/// A table on its way, charged to a budget for as long as it is there.
struct charged_table {
    charged_table(std::shared_ptr<engine::rmpp_budget> of, std::size_t size) : budget{std::move(of)}, bytes(size) {}
    charged_table(charged_table const&) = delete;
    charged_table& operator=(charged_table const&) = delete;
    ~charged_table() { budget->give_back(bytes.size()); }

    std::shared_ptr<engine::rmpp_budget> budget;
    std::vector<std::byte> bytes;
};

/// Makes the headers of a question those of its answer.
void turn_around(std::span<std::byte> headers, sa_reply const& reply)
{
    mutable_mad_view const mad{headers};
    mad.set_method(response_to(mad.method()));
    mad.set_status(reply.status);
    (void)set_rmpp_header(mad, {});
    store_bits<288, 64>(headers.data(), 0); // no answer tells the SM_Key
    store_bits<352, 16>(headers.data(), reply.stride / sa_record_step);
}

} // namespace

sa_server::sa_server(core& of, topology::endpoint where)
    : core_{of},
      where_{where},
      transfers_{make_transfers(of.options.seed)},
      sending_{std::make_shared<engine::rmpp_budget>(most_bytes)}
{
    kind = event_kind::sa_due;
}

sa_server::~sa_server()
{
    core_.events.remove(*this);
}

bool sa_server::is_for(packet const& one)
{
    auto const mad = one.view();
    if (mad.mgmt_class() != management_class::subnet_administration || mad.is_response() ||
        topology::endpoint{one.at, static_cast<std::uint8_t>(core_.nodes[one.at].end_number(one.port))} != where_)
        return false;
    auto const* const kernel = core_.at(where_).end->kernel;
    if (kernel == nullptr || !kernel->has_agent_for(one))
        return true;
    // What has been asked of it before an agent came is its own to the end.
    auto const header = rmpp_header_of(mad);
    if (!header || !header->flags.has(rmpp_flag::active) || header->type == rmpp_type::data)
        return false;
    auto copy = umad::ib_user_mad_hdr{};
    copy.qpn.set(one.to.source_qp);
    copy.lid.set(one.to.source_lid);
    copy.grh_present = one.to.has_grh ? 1 : 0;
    if (one.to.has_grh)
        std::memcpy(copy.gid, one.to.grh.source.bytes().data(), sizeof copy.gid);
    return transfers_->knows(
        engine::rmpp_key::of(copy, mad, rmpp_other_direction(mad.method()), engine::rmpp_direction::outgoing));
}

void sa_server::receive(packet& one)
{
    if (!is_active_rmpp(std::as_const(one).view())) {
        core_.serve(one);
        return;
    }
    describe(core_.at(where_), one);
    bool const may_begin = is_method(one.view().method());
    (void)transfers_->on_packet(one.header, std::as_const(one).view(), core_.now, may_begin);
    core_.packets.give_back(one);
    work();
}

sa_reply sa_server::reply_to(packet const& one)
{
    auto const mad = one.view();
    auto const key = sa_view::from(one.mad)->sm_key();
    if (mad.class_version() != 2)
        return refusal(mad_status::bad_version);
    if (!is_method(mad.method()))
        return refusal(mad_status::unsupported_method);
    auto const* const record = find_record(mad.attribute_id());
    if (record == nullptr ||
        std::find(record->methods.begin(), record->methods.end(), mad.method()) == record->methods.end())
        return refusal(mad_status::unsupported_method_attribute);
    if (key != 0 && key != core_.options.sa_key)
        return refusal(mad_status::sa_request_denied);
    auto const room = mad.method() == method::get_table
                          ? sending_->available() - std::min(sending_->available(), sa_data_offset)
                          : sa_record_stride(sa_data_size);
    return record->answer({core_, where_, memory_, one, key != 0, room});
}

void sa_server::answer(packet& one, bool corrupted)
{
    auto const mad = one.view();
    bool const asks =
        is_method(mad.method()) || mad.method() == method::get_multi || mad.method() == method::get_trace_table;
    if (!asks) {
        core_.drop(one, drop_reason::unmatched);
        return;
    }
    describe(core_.at(where_), one);
    auto const answer_key = engine::rmpp_key::of(
        one.header, std::as_const(one).view(), response_to(mad.method()), engine::rmpp_direction::outgoing);
    if (transfers_->knows(answer_key)) {
        core_.drop(one, drop_reason::repeated_question);
        return;
    }
    auto reply = reply_to(one);
    ++core_.counts.answered;
    if (corrupted && !reply.data.empty())
        core_.corrupt(reply.data);
    bool const is_table = mad.method() == method::get_table && reply.status == mad_status::ok;
    if (is_table) {
        send_table(one, reply);
        return;
    }
    turn_around(one.mad, reply);
    if (reply.status == mad_status::ok) {
        auto const data = std::span{one.mad}.subspan(sa_data_offset);
        std::fill(std::copy(reply.data.begin(), reply.data.end(), data.begin()), data.end(), std::byte{});
    }
    core_.reply(one);
}

void sa_server::send_table(packet& one, sa_reply const& reply)
{
    auto const size = sa_data_offset + reply.data.size();
    auto begun = engine::rmpp_transfers::started::full;
    if (sending_->try_take(size)) {
        auto const table = std::make_shared<charged_table>(sending_, size);
        auto const headers = std::span{table->bytes}.first<sa_data_offset>();
        std::copy_n(one.mad.begin(), sa_data_offset, headers.begin());
        turn_around(headers, reply);
        std::copy(reply.data.begin(), reply.data.end(), table->bytes.begin() + sa_data_offset);
        auto to = one.header;
        to.qkey.set(gsi_q_key);
        engine::rmpp_sender_options options;
        // Patient enough for a window there and an acknowledgement back.
        constexpr int links = 32;
        options.timeout = std::min(
            options.longest_timeout, options.timeout + links * (core_.faults.hop_latency + core_.faults.jitter));
        begun = transfers_->start({.to = to, .message = table->bytes, .owner = table, .options = options}, core_.now);
    }
    if (begun != engine::rmpp_transfers::started::yes) {
        turn_around(one.mad, refusal(mad_status::sa_no_resources));
        core_.reply(one);
        return;
    }
    core_.packets.give_back(one);
    work();
}

/// A question that has come in segments goes the way of any other.
void sa_server::take_question(engine::rmpp_event const& whole)
{
    auto const headers = whole.message.headers();
    auto& one = core_.packets.take();
    // As it would have arrived: sent by the peer, to here.
    if (address(core_.at(where_), whole.peer, one) != 0) {
        core_.packets.give_back(one);
        return;
    }
    std::swap(one.to.source_lid, one.to.destination_lid);
    one.to.source_qp = whole.peer.qpn.value();
    one.to.destination_qp = 1;
    one.to.q_key = gsi_q_key;
    if (one.to.has_grh)
        std::swap(one.to.grh.source, one.to.grh.destination);
    one.at = where_.node;
    one.port = where_.port;
    one.mad.fill(std::byte{});
    std::copy(headers.begin(), headers.end(), one.mad.begin());
    whole.message.copy(std::span{one.mad}.subspan(headers.size()));
    (void)set_rmpp_header(one.view(), {});
    core_.serve(one);
}

void sa_server::work()
{
    // What is sent may come back within this very call, answered at once by a peer without latency.
    if (std::exchange(working_, true))
        return;
    for (bool more = true; more;) {
        more = false;
        for (engine::rmpp_packet next; transfers_->next_packet(next, core_.now); more = true)
            send_segment(next);
        while (auto const happened = transfers_->next_event()) {
            more = true;
            if (happened->what == engine::rmpp_event::kind::received)
                take_question(*happened);
        }
        if (!more && transfers_->next_deadline() <= core_.now) {
            transfers_->expire(core_.now);
            more = true;
        }
    }
    working_ = false;
    auto const repeated = transfers_->counted().repeated;
    core_.counts.retransmitted += repeated - std::exchange(repeated_, repeated);
    schedule();
}

void sa_server::send_segment(engine::rmpp_packet const& segment)
{
    auto& one = core_.packets.take();
    if (address(core_.at(where_), segment.to, one) != 0) {
        core_.packets.give_back(one); // its port has fewer LIDs or GIDs than before
        return;
    }
    one.mad = segment.mad;
    one.at = where_.node;
    one.to.source_qp = 1;
    core_.launch(one, where_.port);
}

void sa_server::forget()
{
    memory_ = {};
    transfers_ = make_transfers(core_.options.seed);
    repeated_ = 0;
    schedule();
}

bool has_built_in_sm(core const& of, topology::endpoint at) noexcept
{
    return of.sa && of.sa->where() == at;
}

void sa_server::schedule()
{
    auto const next = transfers_->next_deadline();
    if (next == never)
        core_.events.remove(*this);
    else if (next != due_ || !queued())
        core_.events.push(*this, next);
    due_ = next;
}

} // namespace madrigal::sim
