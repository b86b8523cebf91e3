#include <madrigal/engine/rmpp_transfers.hpp>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace madrigal::engine {
namespace {

/// ACKs and ABORTs that wait to be written; more are dropped, as the wire might drop them.
constexpr std::size_t most_replies = 256;
/// What one segment can make a message grow by, with all that may be missing before it.
constexpr std::size_t growth = rmpp_message::chunk_cost * (64 * mad_size / rmpp_message::chunk_size + 2);
/// Q_Key of QP 1 (IBA 12.2).
constexpr std::uint32_t gsi_q_key = 0x8001'0000;

/// A peer as its share is counted: it chooses its QPs and what GIDs its packets carry, but not its LID.
rmpp_peer by_lid(rmpp_peer const& peer) noexcept
{
    return {.lid = peer.lid};
}

} // namespace

rmpp_transfers::rmpp_transfers(
    rmpp_transfers_options const& options, std::shared_ptr<rmpp_budget> budget, std::shared_ptr<rmpp_budget> questions)
    : options_{options},
      budget_{budget ? std::move(budget) : std::make_shared<rmpp_budget>(options.max_bytes)},
      question_budget_{questions ? std::move(questions) : budget_},
      incoming_{0, rmpp_key_hash{options.hash_seed}},
      outgoing_{0, rmpp_key_hash{options.hash_seed}},
      questions_of_{0, rmpp_key_hash{options.hash_seed}},
      answers_to_{0, rmpp_key_hash{options.hash_seed}}
{}

rmpp_transfers::~rmpp_transfers() = default;

rmpp_transfers::started rmpp_transfers::start(rmpp_outgoing const& what, time_point now)
{
    auto const mad = mad_view::from(what.growing ? what.growing->headers() : what.message);
    if (!mad || !rmpp_header_of(*mad))
        return started::invalid;
    auto const data_bytes = mad->bytes().size() - class_data_offset(mad->mgmt_class());
    if (what.growing && (data_bytes != 0 || what.growing->window() < 3 * rmpp_segment_data(mad->mgmt_class())))
        return started::invalid;
    auto const segments = rmpp_segments(mad->mgmt_class(), data_bytes);
    if (segments > std::numeric_limits<std::uint32_t>::max() - 64)
        return started::invalid;
    auto const key = rmpp_key::of(what.to, *mad, mad->method(), rmpp_direction::outgoing);
    if (find_outgoing(key) != nullptr)
        return started::present;
    if (outgoing_.size() >= options_.max_outgoing)
        return started::full;
    auto options = what.options;
    if (key.is_answer()) {
        if (auto const to_peer = answers_to_.find(by_lid(key.peer));
            to_peer != answers_to_.end() && to_peer->second >= options_.max_answers_to_a_peer)
            return started::full;
        auto const question = rmpp_key::of(what.to, *mad, rmpp_other_direction(key.how), rmpp_direction::incoming);
        if (auto const* asked = find_incoming(question))
            options.first_window = std::max(options.first_window, asked->machine.answer_window());
    }
    auto const [entry, added] = outgoing_.try_emplace(key, what, options, now);
    assert(added);
    auto& one = entry->second;
    one.key = &entry->first;
    one.place = resting_.insert(resting_.end(), &one);
    if (key.is_answer())
        ++answers_to_[by_lid(key.peer)];
    after(one, rmpp_step::progress);
    return started::yes;
}

bool rmpp_transfers::grown(rmpp_key const& key, time_point now)
{
    auto* const one = find_outgoing(key);
    if (one == nullptr || !one->growing)
        return false;
    one->wants_room = one->growing->room() == 0;
    one->machine.on_grown(now);
    after(*one, rmpp_step::progress);
    return true;
}

void rmpp_transfers::tell_of_room(outgoing_transfer& one)
{
    // Early enough that the peer's window is filled: else it would have nothing to acknowledge.
    constexpr std::size_t part = 8;
    auto const& message = *one.growing;
    if (!one.wants_room || message.finished() || message.room() < message.window() / part)
        return;
    one.wants_room = false;
    events_.push_back({.what = rmpp_event::kind::room, .key = *one.key, .peer = one.to, .ticket = one.ticket});
}

bool rmpp_transfers::on_packet(
    umad::ib_user_mad_hdr const& from, mad_view mad, time_point now, bool may_begin, bool consumed_as_it_comes)
{
    auto const header = rmpp_header_of(mad);
    if (!header || !header->flags.has(rmpp_flag::active))
        return false;
    if (mad.bytes().size() < mad_size) {
        ++counters_.malformed;
        return true;
    }
    // What a receiver sends has the method of the other direction; what a sender sends, its ABORT too, that of the
    // data.
    bool const is_data = header->type == rmpp_type::data;
    if (!is_data) {
        auto const key = rmpp_key::of(from, mad, rmpp_other_direction(mad.method()), rmpp_direction::outgoing);
        // A question of which all has arrived is not what the peer aborts: that is its answer.
        auto* one = find_outgoing(key);
        if (one != nullptr && (header->type == rmpp_type::ack || one->machine.outcome().end == rmpp_end::not_yet)) {
            to_sender(*one, mad, now);
            return true;
        }
    }
    // A kernel complains of such a packet whatever it is of.
    bool const is_kernel = options_.receiving.manner == rmpp_manner::linux_kernel;
    auto const wrong = complaint(*header);
    auto const key = rmpp_key::of(from, mad, mad.method(), rmpp_direction::incoming);
    bool const is_stray_ack = header->type == rmpp_type::ack && header->segment != 0;
    if (auto* one = find_incoming(key); one != nullptr && !is_stray_ack && !(is_kernel && wrong)) {
        to_receiver(*one, from, mad, now);
        return true;
    }
    if (may_begin && wrong) {
        ++counters_.malformed;
        rmpp_reply answer;
        answer.refuse(mad, *wrong, response_time(*header));
        reply(from, answer, true);
    } else if (may_begin && is_data) {
        begin(from, mad, *header, key, now, consumed_as_it_comes);
    } else {
        ++counters_.unmatched;
    }
    return true;
}

void rmpp_transfers::begin(umad::ib_user_mad_hdr const& from, mad_view mad, rmpp_header const& header,
    rmpp_key const& key, time_point now, bool consumed_as_it_comes)
{
    rmpp_reply answer;
    if (auto const fault = rmpp_receiver::fault_of(mad.mgmt_class(), header, options_.receiving.manner)) {
        ++counters_.malformed;
        answer.refuse(mad, *fault, response_time(header));
        reply(from, answer, true);
    } else if (header.segment != 1) {
        ++counters_.unmatched; // of one that has been forgotten, or never was
    } else if (!has_place(key, now)) {
        ++counters_.refused;
        answer.refuse(mad, rmpp_status::resources_exhausted, response_time(header));
        reply(from, answer, true);
    } else {
        auto options = options_.receiving;
        options.consumed_as_it_comes = options.consumed_as_it_comes || consumed_as_it_comes;
        if (!key.is_answer())
            options.max_message = std::min(options.max_message, options_.max_question);
        auto const [entry, added] =
            incoming_.try_emplace(key, options, key.is_answer() ? budget_ : question_budget_, from, now);
        assert(added);
        auto& one = entry->second;
        one.key = &entry->first;
        auto& places = places_of(one);
        one.place = places.insert(places.end(), &one);
        if (!key.is_answer())
            ++questions_of_[key.peer];
        to_receiver(one, from, mad, now);
    }
}

/// What is wrong with a packet of no outgoing transfer, apart from what is wrong with DATA. Only a kernel answers an
/// ABORT, or looks at the fields of an ACK that it has no use for.
std::optional<rmpp_status> rmpp_transfers::complaint(rmpp_header const& header) const noexcept
{
    bool const is_kernel = options_.receiving.manner == rmpp_manner::linux_kernel;
    bool const is_end = header.type == rmpp_type::stop || header.type == rmpp_type::abort;
    if (is_end && !is_kernel)
        return std::nullopt;
    if (header.version != rmpp_version)
        return rmpp_status::unsupported_version;
    auto const illegal_if = [](bool wrong) {
        return wrong ? std::optional{rmpp_status::illegal_status} : std::nullopt;
    };
    switch (header.type) {
    case rmpp_type::data: return std::nullopt;
    case rmpp_type::ack:
        if (is_kernel && header.status == rmpp_status::normal && header.length_or_window < header.segment)
            return rmpp_status::new_window_too_small;
        return illegal_if(is_kernel && header.status != rmpp_status::normal);
    case rmpp_type::stop: return illegal_if(header.status != rmpp_status::resources_exhausted);
    case rmpp_type::abort: return illegal_if(!is_abort_status(header.status));
    }
    return rmpp_status::bad_type;
}

/// What a refusal says of it: kernels give back what they got.
std::uint8_t rmpp_transfers::response_time(rmpp_header const& received) const noexcept
{
    bool const thorough = options_.receiving.manner == rmpp_manner::thorough;
    return thorough ? options_.receiving.response_time : received.response_time;
}

bool rmpp_transfers::has_place(rmpp_key const& key, time_point now)
{
    if (events_.size() >= options_.max_answers + options_.max_questions)
        return false;
    if (key.is_answer())
        return answers_.size() < options_.max_answers || evict(answers_, nullptr, now);
    if (auto const of_peer = questions_of_.find(key.peer);
        of_peer != questions_of_.end() && of_peer->second >= options_.max_questions_per_peer)
        return false;
    return questions_.size() < options_.max_questions || evict(questions_, nullptr, now);
}

bool rmpp_transfers::evict(incoming_list& places, incoming_transfer const* but, time_point now)
{
    auto longest_idle = places.begin();
    if (longest_idle != places.end() && *longest_idle == but)
        ++longest_idle;
    if (longest_idle == places.end())
        return false;
    auto& one = **longest_idle;
    if (now - one.machine.last_progress() < options_.evictable_after)
        return false;
    ++counters_.evicted;
    rmpp_reply answer;
    one.machine.cancel(rmpp_end::no_resources, rmpp_status::resources_exhausted, now, answer);
    reply(one.from, answer, true);
    after(one, rmpp_step::ended, now);
    return true;
}

void rmpp_transfers::make_room(incoming_transfer const& for_one, time_point now)
{
    bool const is_answer = for_one.key->is_answer();
    auto const& budget = is_answer ? *budget_ : *question_budget_;
    bool const of_questions_too = !is_answer || budget_ == question_budget_;
    while (budget.available() < growth) {
        if (of_questions_too && evict(questions_, &for_one, now))
            continue;
        if (!is_answer || !evict(answers_, &for_one, now))
            return;
    }
}

void rmpp_transfers::to_receiver(
    incoming_transfer& one, umad::ib_user_mad_hdr const& from, mad_view mad, time_point now)
{
    if (one.machine.outcome().end == rmpp_end::not_yet)
        make_room(one, now);
    rmpp_reply answer;
    auto const step = one.machine.on_packet(mad, now, answer);
    reply(from, answer, true);
    after(one, step, now);
}

void rmpp_transfers::to_sender(outgoing_transfer& one, mad_view mad, time_point now)
{
    rmpp_reply answer;
    auto const step = one.machine.on_packet(mad, now, answer);
    reply(one.to, answer, false);
    after(one, step);
}

void rmpp_transfers::after(incoming_transfer& one, rmpp_step step, time_point now)
{
    switch (step) {
    case rmpp_step::nothing: return;
    case rmpp_step::over: forget(one); return;
    case rmpp_step::ended: end(one, true); break;
    case rmpp_step::progress:
        if (one.machine.last_progress() == now)
            places_of(one).splice(places_of(one).end(), places_of(one), one.place);
        if (options_.announce_data && !one.announced && one.machine.message().readable() != 0) {
            one.announced = true;
            events_.push_back({.what = rmpp_event::kind::arriving, .key = *one.key, .peer = one.from});
        }
        break;
    }
    wheel_.insert(one, one.machine.next_deadline());
    trim_lingering(); // of this one too, where none may linger
}

void rmpp_transfers::after(outgoing_transfer& one, rmpp_step step)
{
    switch (step) {
    case rmpp_step::nothing: break;
    case rmpp_step::progress:
        if (one.growing)
            tell_of_room(one);
        break;
    case rmpp_step::over: end(one); return;
    case rmpp_step::ended: {
        auto const outcome = one.machine.outcome();
        counters_.repeated += one.machine.repeated();
        bool const complete = outcome.end == rmpp_end::complete;
        events_.push_back({.what = complete ? rmpp_event::kind::sent : rmpp_event::kind::send_failed,
            .outcome = outcome,
            .key = *one.key,
            .peer = one.to,
            .ticket = one.ticket});
        if (!complete || !one.expects_answer) {
            end(one);
            return;
        }
        break;
    }
    }
    set_ready(one);
    wheel_.insert(one, one.machine.next_deadline());
}

void rmpp_transfers::end(incoming_transfer& one, bool told)
{
    auto const& key = *one.key;
    if (!key.is_answer())
        count_down(questions_of_, key.peer);
    lingering_.splice(lingering_.end(), places_of(one), one.place);
    if (!told)
        return;
    auto const outcome = one.machine.outcome();
    bool const complete = outcome.end == rmpp_end::complete;
    events_.push_back({.what = complete ? rmpp_event::kind::received : rmpp_event::kind::receive_failed,
        .outcome = outcome,
        .key = key,
        .peer = one.from,
        .message = std::move(one.machine.message())});
}

void rmpp_transfers::end(outgoing_transfer& one)
{
    if (one.key->is_answer())
        count_down(answers_to_, by_lid(one.key->peer));
    (one.is_ready ? ready_ : resting_).erase(one.place);
    wheel_.erase(one);
    outgoing_.erase(rmpp_key{*one.key});
}

void rmpp_transfers::count_down(count_of_peer& counts, rmpp_peer const& peer)
{
    auto const one = counts.find(peer);
    if (--one->second == 0)
        counts.erase(one);
}

void rmpp_transfers::forget(incoming_transfer& one)
{
    lingering_.erase(one.place);
    wheel_.erase(one);
    incoming_.erase(rmpp_key{*one.key});
}

void rmpp_transfers::trim_lingering()
{
    while (lingering_.size() > options_.max_lingering)
        forget(*lingering_.front());
}

void rmpp_transfers::set_ready(outgoing_transfer& one)
{
    bool const was_ready = one.is_ready;
    one.is_ready = one.machine.has_segment();
    if (one.is_ready != was_ready) {
        auto& from = was_ready ? ready_ : resting_;
        auto& to = was_ready ? resting_ : ready_;
        to.splice(to.end(), from, one.place);
    }
}

void rmpp_transfers::reply(umad::ib_user_mad_hdr const& to, rmpp_reply const& what, bool is_received)
{
    if (what.empty())
        return;
    if (replies_.size() - first_reply_ >= most_replies) {
        ++counters_.replies_lost;
        return;
    }
    if (first_reply_ == most_replies) { // never empty for long: make room at the end
        replies_.erase(replies_.begin(), replies_.begin() + most_replies);
        first_reply_ = 0;
    }
    auto& packet = replies_.emplace_back(rmpp_packet{.to = to, .mad = what.mad()});
    packet.to.status = 0;
    packet.to.timeout_ms = 0;
    packet.to.retries = 0;
    packet.to.length = umad::header_size + mad_size;
    if (is_received) {
        packet.to.qkey.set(gsi_q_key);                             // what has been read has none
        packet.to.hop_limit = packet.to.grh_present != 0 ? 64 : 0; // its own has been used up on the way here
    }
}

bool rmpp_transfers::next_reply(rmpp_packet& into)
{
    if (first_reply_ == replies_.size())
        return false;
    into = replies_[first_reply_++];
    if (first_reply_ == replies_.size()) {
        replies_.clear();
        first_reply_ = 0;
    }
    return true;
}

bool rmpp_transfers::next_packet(rmpp_packet& into, time_point now)
{
    if (next_reply(into))
        return true;
    if (ready_.empty())
        return false;
    auto& one = *ready_.front();
    one.machine.take_segment(into.mad, now);
    ++counters_.segments_sent;
    into.to = one.to;
    into.to.status = 0;
    into.to.timeout_ms = 0;
    into.to.retries = 0;
    into.to.length = umad::header_size + mad_size;
    ready_.splice(ready_.end(), ready_, one.place);
    set_ready(one);
    wheel_.insert(one, one.machine.next_deadline());
    return true;
}

std::optional<rmpp_event> rmpp_transfers::next_event()
{
    if (events_.empty())
        return std::nullopt;
    std::optional<rmpp_event> event{std::move(events_.front())};
    events_.pop_front();
    return event;
}

void rmpp_transfers::expire(time_point now, std::size_t budget)
{
    wheel_.expire(
        now,
        [&](deadline_node& node) {
            rmpp_reply answer;
            if (static_cast<transfer&>(node).direction == rmpp_direction::incoming) {
                auto& one = static_cast<incoming_transfer&>(node);
                auto const step = one.machine.expire(now, answer);
                reply(one.from, answer, true);
                if (step == rmpp_step::nothing)
                    wheel_.insert(one, one.machine.next_deadline());
                after(one, step, now);
            } else {
                auto& one = static_cast<outgoing_transfer&>(node);
                auto const step = one.machine.expire(now, answer);
                reply(one.to, answer, false);
                after(one, step);
            }
        },
        budget);
}

rmpp_message* rmpp_transfers::arriving(rmpp_key const& key) noexcept
{
    auto* one = find_incoming(key);
    if (one == nullptr || one->machine.outcome().end != rmpp_end::not_yet)
        return nullptr;
    one->announced = false;
    return &one->machine.message();
}

bool rmpp_transfers::cancel(rmpp_key const& key, time_point now)
{
    rmpp_reply answer;
    if (auto* one = find_outgoing(key)) {
        if (one->machine.outcome().end != rmpp_end::not_yet)
            return false;
        one->machine.cancel(rmpp_end::cancelled, rmpp_status::unspecified, answer);
        reply(one->to, answer, false);
        end(*one);
        return true;
    }
    auto* one = find_incoming(key);
    if (one == nullptr || one->machine.outcome().end != rmpp_end::not_yet)
        return false;
    one->machine.cancel(rmpp_end::cancelled, rmpp_status::unspecified, now, answer);
    reply(one->from, answer, true);
    end(*one, false);
    wheel_.insert(*one, one->machine.next_deadline());
    trim_lingering();
    return true;
}

bool rmpp_transfers::abandon(rmpp_key const& key) noexcept
{
    auto* one = find_outgoing(key);
    if (one == nullptr)
        return false;
    if (one->machine.outcome().end == rmpp_end::not_yet)
        counters_.repeated += one->machine.repeated();
    end(*one);
    return true;
}

rmpp_transfers::incoming_transfer* rmpp_transfers::find_incoming(rmpp_key const& key) noexcept
{
    auto const found = incoming_.find(key);
    return found != incoming_.end() ? &found->second : nullptr;
}

rmpp_transfers::outgoing_transfer* rmpp_transfers::find_outgoing(rmpp_key const& key) noexcept
{
    auto const found = outgoing_.find(key);
    return found != outgoing_.end() ? &found->second : nullptr;
}

rmpp_transfers::incoming_list& rmpp_transfers::places_of(incoming_transfer const& one) noexcept
{
    return one.key->is_answer() ? answers_ : questions_;
}

std::size_t rmpp_transfers::memory_limit() const noexcept
{
    // Of each entry: its node, its places in two lists and an index, and what the heap adds to each of these.
    constexpr std::size_t around = 192;
    auto const open = options_.max_answers + options_.max_questions;
    return budget_->limit() + (question_budget_ != budget_ ? question_budget_->limit() : 0) +
           (open + options_.max_lingering) * (sizeof(rmpp_key) + sizeof(incoming_transfer) + around) +
           options_.max_outgoing * (sizeof(rmpp_key) + sizeof(outgoing_transfer) + around) +
           (options_.max_questions + options_.max_outgoing) * (sizeof(rmpp_peer) + around) +
           2 * most_replies * sizeof(rmpp_packet) + (3 * open + 2 * options_.max_outgoing) * (sizeof(rmpp_event) + 64) +
           sizeof *this;
}

} // namespace madrigal::engine
