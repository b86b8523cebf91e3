#include <madrigal/runtime/detail/user_rmpp.hpp>

#include <madrigal/engine/rmpp_error.hpp>
#include <madrigal/runtime/detail/agent_core.hpp>

#include "runtime/packet_parts.hpp"
#include "runtime/stream_tickets.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

namespace madrigal::detail {
namespace {

/// Numbers from here on are those of answers, which have no request.
constexpr std::uint64_t first_answer = std::uint64_t{1} << 32;
/// Deadlines that are handled before others on the loop get their turn.
constexpr std::size_t expiry_budget = 1024;

std::uint32_t request_of(engine::rmpp_key const& key) noexcept
{
    return static_cast<std::uint32_t>(key.transaction_id);
}

} // namespace

user_rmpp::user_rmpp(agent_core& agent, rmpp_options const& options, std::shared_ptr<engine::rmpp_budget> budget,
    std::shared_ptr<engine::rmpp_budget> questions)
    : agent_{agent}, options_{options}, budget_{std::move(budget)}, questions_{std::move(questions)}
{
    // A transfer is known by its past too: one must have some.
    options_.transfers.max_lingering = std::max<std::size_t>(options_.transfers.max_lingering, 1);
    options_.transfers.announce_data = true; // told once only, where nobody asks
    if (options_.transfers.hash_seed == 0)
        options_.transfers.hash_seed = std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
    transfers_ = std::make_unique<transfers>(options_.transfers, budget_, questions_);
}

user_rmpp::~user_rmpp() = default;

bool user_rmpp::on_packet(engine::packet_ptr& packet)
{
    auto const mad = mad_of(*packet);
    auto const header = rmpp_header_of(mad);
    if (!header || !header->flags.has(rmpp_flag::active))
        return false;
    auto const from = header_of(*packet);
    auto const key = engine::rmpp_key::of(from, mad, mad.method(), engine::rmpp_direction::incoming);
    auto const now = agent_.home_->now();
    struct lend {
        engine::packet_ptr*& to;
        ~lend() { to = nullptr; }
    } const lent{spare_};
    spare_ = &packet;
    if (!key.is_answer())
        (void)transfers_->on_packet(from, mad, now, !agent_.wanted_.methods.empty());
    else if (header->type == rmpp_type::data && !arriving_.contains(request_of(key)))
        on_first_data(from, mad, key);
    else if ((header->type == rmpp_type::stop || header->type == rmpp_type::abort) && !has(request_of(key)))
        on_refusal(mad, *header);
    else
        (void)transfers_->on_packet(from, mad, now, false);
    handle_events();
    write_waiting();
    return true;
}

void user_rmpp::on_first_data(umad::ib_user_mad_hdr const& from, mad_view mad, engine::rmpp_key const& key)
{
    auto const now = agent_.home_->now();
    auto const [what, entry] = agent_.requests_.expects(mad);
    using verdict = request_machine::verdict;
    bool const expected = what == verdict::complete || what == verdict::late;
    bool const known_before = transfers_->knows(key); // of an earlier one, that answers for its past
    (void)transfers_->on_packet(from, mad, now, expected, stream_of(request_of(key)) != nullptr);
    if (what == verdict::mismatch)
        ++agent_.counters_.mismatched_answers;
    else if (!expected && !known_before)
        ++agent_.counters_.stale_answers;
    if (!expected || !transfers_->knows(key))
        return; // the first segment may be yet to come: until then the request has its guard deadline
    auto const guard = agent_.requests_.on_arrival(*entry, now);
    if (what == verdict::complete) {
        arriving_.emplace(request_of(key), key);
        agent_.guard(guard);
        return;
    }
    ++agent_.counters_.late_answers;
    (void)transfers_->cancel(key, now);
    agent_.write_waiting();
}

void user_rmpp::on_refusal(mad_view mad, rmpp_header const& header)
{
    auto const [what, entry] = agent_.requests_.expects(mad);
    if (what != request_machine::verdict::complete) {
        ++agent_.counters_.stale_answers;
        return;
    }
    engine::packet_ptr none;
    agent_.end_transfer(entry->id(),
        engine::make_rmpp_error(
            {header.type == rmpp_type::stop ? engine::rmpp_end::stopped : engine::rmpp_end::aborted, header.status}),
        none);
}

error_code user_rmpp::begin(engine::rmpp_outgoing const& what)
{
    using started = transfers::started;
    switch (transfers_->start(what, agent_.home_->now())) {
    case started::yes: break;
    case started::full: return errc::queue_full;
    case started::present: return errc::already_replied;
    case started::invalid: return errc::invalid_argument;
    }
    return {};
}

error_code user_rmpp::send_growing(engine::packet& packet, operation& caller)
{
    // No other kind is made in this room.
    auto const growing = std::static_pointer_cast<reply_stream_state>(packet.more->growing);
    if (growing->ticket == aborted_early)
        return asio::error::operation_aborted;
    if (!growing->headers().empty())
        return errc::invalid_argument; // it is another reply's
    auto const mad = mad_of(packet);
    growing->set_headers(mad.bytes().first(class_data_offset(mad.mgmt_class())));
    growing->ticket = first_answer + next_answer_++;
    engine::rmpp_outgoing what;
    what.to = header_of(packet);
    what.growing = growing;
    what.ticket = growing->ticket;
    what.options = options_.sending;
    if (auto const code = begin(what))
        return code;
    growing->agent = agent_.shared_from_this();
    outgoing_.emplace(what.ticket,
        outgoing_message{.key = engine::rmpp_key::of(what.to, mad, mad.method(), engine::rmpp_direction::outgoing),
            .caller = std::move(caller),
            .growing = growing});
    agent_.home_->add_interest();
    return {};
}

error_code user_rmpp::send(engine::packet& packet, std::uint32_t request, operation& caller)
{
    if (packet.is_growing())
        return send_growing(packet, caller);
    auto const owner = std::make_shared<engine::whole_message>(std::move(packet.more->message));
    std::memcpy(owner->bytes().data(), packet.bytes.data(), packet.size);
    auto const message = std::as_const(*owner).bytes().subspan(umad::header_size);
    mad_view const mad{message};
    engine::rmpp_outgoing what{.to = header_of(packet),
        .message = message,
        .owner = owner,
        .ticket = request != 0 ? request : first_answer + next_answer_++,
        .options = options_.sending};
    what.options.expects_answer = mad.method() == method::get_multi;
    if (auto const code = begin(what))
        return code;
    auto const key = engine::rmpp_key::of(what.to, mad, mad.method(), engine::rmpp_direction::outgoing);
    outgoing_.emplace(what.ticket, outgoing_message{.key = key, .caller = std::move(caller)});
    if (request == 0)
        agent_.home_->add_interest();
    else
        asked_.emplace(request, key);
    return {};
}

void user_rmpp::expect(std::uint32_t request, std::shared_ptr<engine::data_stream> const& stream)
{
    // Requests end in many ways; what is left of them here is swept out now and then.
    if (streams_.size() >= streams_swept_) {
        std::erase_if(streams_, [](auto const& entry) { return entry.second.expired(); });
        streams_swept_ = std::max<std::size_t>(64, 2 * streams_.size());
    }
    streams_[request] = stream;
}

void user_rmpp::cancel(std::uint32_t request)
{
    auto const now = agent_.home_->now();
    if (auto const question = outgoing_.extract(request))
        (void)transfers_->cancel(question.mapped().key, now);
    if (auto const answer = arriving_.extract(request))
        (void)transfers_->cancel(answer.mapped(), now);
    asked_.erase(request);
    write_waiting();
}

void user_rmpp::forget_ended()
{
    auto const now = agent_.home_->now();
    std::erase_if(arriving_, [&](auto const& entry) {
        if (agent_.requests_.under_way(entry.first) != nullptr)
            return false;
        (void)transfers_->cancel(entry.second, now);
        return true;
    });
    std::erase_if(asked_, [&](auto const& entry) {
        if (agent_.requests_.under_way(entry.first) != nullptr)
            return false;
        outgoing_.erase(entry.first);
        (void)transfers_->cancel(entry.second, now);
        return true;
    });
}

void user_rmpp::end_thrown(engine::rmpp_key const& key)
{
    auto const id = request_of(key);
    arriving_.erase(id);
    (void)transfers_->cancel(key, agent_.home_->now());
    if (auto* const entry = agent_.requests_.under_way(id))
        agent_.refuse(*entry, asio::error::operation_aborted);
}

void user_rmpp::handle_events()
{
    if (std::exchange(handling_, true))
        return; // a handler's doing; the loop below goes on with it
    // Also where a handler throws: what else has happened is looked at in the next turn.
    struct end {
        user_rmpp& of;
        bool thrown = true;
        ~end()
        {
            of.handling_ = false;
            if (thrown)
                of.write_more_later();
        }
    } at_the_end{*this};
    while (auto event = transfers_->next_event())
        on_event(*event);
    at_the_end.thrown = false;
}

void user_rmpp::on_event(engine::rmpp_event& event)
{
    using kind = engine::rmpp_event::kind;
    switch (event.what) {
    case kind::received: on_received(event); return;
    case kind::receive_failed:
        if (event.key.is_answer() && arriving_.erase(request_of(event.key)) != 0) {
            engine::packet_ptr none;
            asked_.erase(request_of(event.key));
            agent_.end_transfer(request_of(event.key), engine::make_rmpp_error(event.outcome), none);
        }
        return;
    case kind::arriving: on_data(event.key); return;
    case kind::room: on_room(event); return;
    case kind::sent:
    case kind::send_failed: on_sent(event); return;
    }
}

void user_rmpp::on_received(engine::rmpp_event& event)
{
    if (!event.key.is_answer()) {
        if (auto packet = packet_of(event))
            agent_.on_unsolicited(packet);
        else
            ++agent_.counters_.inbox_dropped;
        return;
    }
    auto const id = request_of(event.key);
    if (!arriving_.contains(id))
        return;
    // With its answer whole, a question has reached the peer whatever has become of the last acknowledgement.
    if (auto const question = asked_.extract(id)) {
        outgoing_.erase(id);
        (void)transfers_->abandon(question.mapped());
    }
    if (auto const stream = stream_of(id)) {
        auto& data = event.message;
        try {
            do {
                // Once at least, so that an answer without data is told too.
                auto const part = data.front();
                stream->begun = true;
                stream->sink(data.headers(), part);
                data.consume(part.size());
            } while (data.readable() != 0 && arriving_.contains(id));
        } catch (...) {
            end_thrown(event.key);
            throw;
        }
    }
    if (arriving_.erase(id) == 0)
        return; // the sink's doing
    auto packet = packet_of(event);
    agent_.end_transfer(id, packet ? error_code{} : error_code{errc::message_too_long}, packet);
}

void user_rmpp::on_data(engine::rmpp_key const& key)
{
    auto const id = request_of(key);
    auto const stream = stream_of(id);
    if (!stream || !key.is_answer())
        return;
    // The sink may end anything, so it works on a copy.
    std::array<std::byte, 64> headers{};
    std::array<std::byte, engine::rmpp_message::chunk_size> part; // NOLINT: filled before it is shown
    while (arriving_.contains(id)) {
        auto* const message = transfers_->arriving(key);
        if (message == nullptr || message->readable() == 0)
            return;
        auto const known = message->headers();
        std::copy(known.begin(), known.end(), headers.begin());
        auto const size = message->copy(part);
        message->consume(size);
        stream->begun = true;
        try {
            stream->sink(std::span{headers}.first(known.size()), std::span{part}.first(size));
        } catch (...) {
            end_thrown(key);
            throw;
        }
    }
}

void user_rmpp::on_sent(engine::rmpp_event const& event)
{
    auto ended = outgoing_.extract(event.ticket);
    if (!ended)
        return;
    auto const code = engine::make_rmpp_error(event.outcome);
    engine::packet_ptr none;
    if (event.ticket >= first_answer) {
        agent_.home_->drop_interest();
        ended.mapped().caller.complete(code, none);
        return;
    }
    auto const id = static_cast<std::uint32_t>(event.ticket);
    if (arriving_.contains(id))
        return; // so the peer has the question, whatever has become of the last acknowledgement
    if (!code) {
        agent_.question_sent(id);
        return;
    }
    asked_.erase(id);
    agent_.end_transfer(id, code, none);
}

std::shared_ptr<engine::data_stream> user_rmpp::stream_of(std::uint32_t request) const noexcept
{
    auto const known = streams_.find(request);
    return known != streams_.end() ? known->second.lock() : nullptr;
}

engine::packet_ptr user_rmpp::packet_of(engine::rmpp_event& event)
{
    auto packet = spare_ != nullptr && *spare_ ? std::move(*spare_) : agent_.reactor().packets().acquire();
    if (!packet)
        return {};
    auto& message = event.message;
    auto const headers = message.headers();
    auto const size = umad::header_size + headers.size() + message.readable();
    bool const is_long = size > engine::packet::capacity;
    engine::whole_message whole;
    std::span<std::byte> into = packet->storage();
    if (is_long) {
        whole = engine::whole_message::uncharged(size);
        if (whole.empty())
            return {};
        into = whole.bytes();
    }
    auto& header = *reinterpret_cast<umad::ib_user_mad_hdr*>(into.data());
    header = event.peer;
    header.id = agent_.id();
    header.length = static_cast<std::uint32_t>(size);
    auto end = std::copy(headers.begin(), headers.end(), into.begin() + umad::header_size);
    // Given back piece by piece, so that the message is never in memory twice.
    for (auto part = message.front(); !part.empty(); part = message.front()) {
        end = std::copy(part.begin(), part.end(), end);
        message.consume(part.size());
    }
    if (is_long) {
        std::copy_n(into.begin(), engine::packet::capacity, packet->bytes.begin());
        if (!whole.charge(event.key.is_answer() ? budget_ : questions_))
            return {};
        packet->more = std::make_unique<engine::packet_attachment>();
        packet->more->message = std::move(whole);
    }
    packet->assume(std::min(size, engine::packet::capacity));
    return packet;
}

void user_rmpp::arm()
{
    auto const next = agent_.home_->interest() != 0 ? transfers_->next_deadline() : never;
    if (next >= armed_at_)
        return; // it is looked at then
    if (!alarm_)
        alarm_ = agent_.reactor().time().make_alarm([this] { on_due(); });
    armed_at_ = next;
    alarm_->arm(next);
}

void user_rmpp::on_idle()
{
    if (armed_at_ == never)
        return;
    armed_at_ = never;
    alarm_->arm(never);
}

void user_rmpp::on_due()
{
    auto const self = agent_.shared_from_this();
    reactor_core::turn const in_turn{agent_.reactor()};
    armed_at_ = never;
    if (agent_.home_->with_writer()) {
        // What is missed here may lie unread.
        agent_.home_->guard_after_reading();
        return;
    }
    transfers_->expire(agent_.reactor().time().now(), expiry_budget);
    handle_events();
    write_waiting();
    agent_.settle();
}

std::vector<operation> user_rmpp::end_all()
{
    on_idle();
    std::vector<operation> waiting;
    for (auto& [number, message] : std::exchange(outgoing_, {}))
        if (message.caller)
            waiting.push_back(std::move(message.caller));
    arriving_.clear();
    asked_.clear();
    streams_.clear();
    transfers_ = std::make_unique<transfers>(options_.transfers, budget_, questions_);
    return waiting;
}

void user_rmpp::abandon() noexcept
{
    alarm_.reset();
    armed_at_ = never;
    out_.reset();
}

} // namespace madrigal::detail
