#include <madrigal/engine/rmpp_receiver.hpp>

#include <algorithm>
#include <bit>

namespace madrigal::engine {
namespace {

/// With a second ACK of the same segment a peer knows that something is missing; more would say nothing new.
constexpr unsigned most_gap_acks = 2;

} // namespace

rmpp_receiver::rmpp_receiver(rmpp_receiver_options const& options, std::shared_ptr<rmpp_budget> budget, time_point now)
    : options_{options}, message_{std::move(budget)}, deadline_{now + options.total}, last_progress_{now}
{
    options_.window = std::clamp(options.window, 1U, 64U);
}

std::optional<rmpp_status> rmpp_receiver::fault_of(
    management_class of, rmpp_header const& header, rmpp_manner manner) noexcept
{
    if (header.status != rmpp_status::normal)
        return rmpp_status::illegal_status;
    bool const first = header.segment == 1;
    if (first != header.flags.has(rmpp_flag::first))
        return rmpp_status::inconsistent_first_and_segment;
    if (manner == rmpp_manner::linux_kernel)
        return std::nullopt;
    if (header.segment == 0)
        return rmpp_status::inconsistent_first_and_segment;
    auto const length = header.length_or_window;
    if (header.flags.has(rmpp_flag::last) && (length < rmpp_class_header_size(of) || length > rmpp_payload_size))
        return rmpp_status::inconsistent_last_and_length;
    return std::nullopt;
}

rmpp_step rmpp_receiver::on_packet(mad_view mad, time_point now, rmpp_reply& reply)
{
    auto const header = rmpp_header_of(mad);
    if (!header || mad.bytes().size() < mad_size)
        return rmpp_step::nothing;
    bool const running = outcome_.end == rmpp_end::not_yet;
    if (header->version != rmpp_version) {
        if (running && is_thorough())
            return refuse(mad, rmpp_end::refused, rmpp_status::unsupported_version, now, reply);
        return rmpp_step::nothing;
    }
    switch (header->type) {
    case rmpp_type::data: return on_data(mad, *header, now, reply);
    case rmpp_type::ack:
        if (outcome_.end == rmpp_end::complete && header->segment == 0 && header->status == rmpp_status::normal)
            answer_window_ = std::max(1U, header->length_or_window);
        return rmpp_step::nothing;
    case rmpp_type::stop:
    case rmpp_type::abort:
        if (running && is_thorough())
            return fail({header->type == rmpp_type::stop ? rmpp_end::stopped : rmpp_end::aborted, header->status}, now);
        return rmpp_step::nothing;
    }
    if (running && is_thorough())
        return refuse(mad, rmpp_end::refused, rmpp_status::bad_type, now, reply);
    return rmpp_step::nothing;
}

rmpp_step rmpp_receiver::on_data(mad_view mad, rmpp_header const& header, time_point now, rmpp_reply& reply)
{
    bool const complete = outcome_.end == rmpp_end::complete;
    if (!complete && outcome_.end != rmpp_end::not_yet) {
        if (outcome_.end != rmpp_end::aborted && outcome_.end != rmpp_end::stopped)
            reply.refuse(mad, outcome_.status, response_time(mad));
        return rmpp_step::nothing;
    }
    if (auto const fault = fault_of(mad.mgmt_class(), header, options_.manner)) {
        if (is_thorough())
            return complete ? rmpp_step::nothing : refuse(mad, rmpp_end::refused, *fault, now, reply);
        reply.refuse(mad, *fault, response_time(mad)); // a kernel complains and goes on
        return rmpp_step::nothing;
    }
    if (header.segment > window_last_)
        return rmpp_step::nothing; // it was not invited, and will come again
    if (complete) {
        acknowledge(mad, reply);
        return rmpp_step::nothing;
    }
    if (is_thorough())
        if (auto const status = contradiction(header))
            return refuse(mad, rmpp_end::refused, *status, now, reply);
    if (is_known(header.segment))
        return on_repeated(mad, header.segment, reply);
    if (!store(mad, header))
        return refuse(mad, rmpp_end::no_resources, rmpp_status::resources_exhausted, now, reply);
    last_progress_ = now;
    if (header.segment == in_order_ + 1)
        return advance(mad, now, reply);
    if (is_thorough() && gap_acks_ < most_gap_acks) {
        ++gap_acks_;
        acknowledge(mad, reply);
    }
    return rmpp_step::progress;
}

bool rmpp_receiver::is_known(std::uint32_t segment) const noexcept
{
    return segment <= in_order_ || (ahead_ >> (segment - in_order_ - 1) & 1) != 0;
}

rmpp_step rmpp_receiver::on_repeated(mad_view mad, std::uint32_t segment, rmpp_reply& reply)
{
    if (segment > in_order_)
        return rmpp_step::nothing;
    // A sender that has missed an ACK repeats many segments: in the thorough manner one ACK a round is enough, and the
    // segment's number going down tells where a round begins.
    bool const worthwhile =
        is_thorough() ? segment <= repeated_ || repeated_ == 0 || acknowledged_ != in_order_ : segment <= acknowledged_;
    repeated_ = segment;
    if (worthwhile)
        acknowledge(mad, reply);
    return rmpp_step::nothing;
}

std::optional<rmpp_status> rmpp_receiver::contradiction(rmpp_header const& header) const noexcept
{
    auto const segment = header.segment;
    bool const last = header.flags.has(rmpp_flag::last);
    auto const wrong = rmpp_status::inconsistent_last_and_length;
    if (last_ != 0 && (segment > last_ || last != (segment == last_)))
        return wrong;
    if (last && segment < highest_)
        return wrong;
    auto const total = segment == 1 ? announced_by(header) : total_;
    if (total != 0) {
        auto const before = std::uint64_t{segment - 1} * rmpp_payload_size;
        bool const fits = last ? before + header.length_or_window == total : before + rmpp_payload_size < total;
        if (!fits)
            return wrong;
    }
    return std::nullopt;
}

/// What the first of several segments says about the whole; 0 where it does not, or is not asked.
std::uint32_t rmpp_receiver::announced_by(rmpp_header const& header) const noexcept
{
    bool const says = header.segment == 1 && !header.flags.has(rmpp_flag::last);
    return says && is_thorough() && options_.check_total ? header.length_or_window : 0;
}

bool rmpp_receiver::store(mad_view mad, rmpp_header const& header)
{
    auto const segment = header.segment;
    auto const of = mad.mgmt_class();
    auto const each = rmpp_segment_data(of);
    auto const at = std::uint64_t{segment - 1} * each;
    bool const last = header.flags.has(rmpp_flag::last);
    // In the kernel's manner what cannot be counts as full, and less than the class's own header reaches back into the
    // data before; in the other both have been refused.
    auto const payload = header.length_or_window;
    auto const missing = last && payload <= rmpp_payload_size ? rmpp_payload_size - payload : 0;
    // Where the whole length is known, what cannot end well is not begun.
    std::uint64_t const announced = announced_by(header);
    auto const segments = (announced + rmpp_payload_size - 1) / rmpp_payload_size;
    auto const whole =
        options_.consumed_as_it_comes ? 0 : announced - std::min(announced, segments * rmpp_class_header_size(of));
    if (std::max(at + each - std::min(missing, each), whole) > message_.consumed() + options_.max_message)
        return false;
    // All of it, as in the kernel's manner a later segment may turn out to be the last one instead.
    if (!message_.put(at, mad.bytes().subspan(class_data_offset(of), each)))
        return false;
    if (segment == 1) {
        message_.set_headers(mad.bytes().first(class_data_offset(of)));
        total_ = announced;
    }
    if (last) {
        last_ = segment;
        missing_ = static_cast<std::uint32_t>(missing);
    }
    highest_ = std::max(highest_, segment);
    ahead_ |= std::uint64_t{1} << (segment - in_order_ - 1);
    return true;
}

rmpp_step rmpp_receiver::advance(mad_view mad, time_point now, rmpp_reply& reply)
{
    auto const count = static_cast<unsigned>(std::countr_one(ahead_));
    ahead_ = count < 64 ? ahead_ >> count : 0;
    in_order_ += count;
    gap_acks_ = 0;
    repeated_ = 0;
    auto const each = rmpp_segment_data(mad.mgmt_class());
    if (last_ != 0 && in_order_ >= last_) {
        in_order_ = last_;
        auto const all = std::uint64_t{last_} * each;
        message_.set_data_size(all - std::min<std::uint64_t>(all, missing_));
        outcome_.end = rmpp_end::complete;
        deadline_ = now + options_.linger;
        acknowledge(is_thorough() ? mad : mad_view{message_.headers()}, reply);
        return rmpp_step::ended;
    }
    message_.set_data_size(std::uint64_t{in_order_} * each);
    bool const window_used = in_order_ == window_last_;
    if (is_thorough()) {
        // Half a window early, so that the peer need not stop; and at once while there are gaps, which it then repairs.
        if (window_used || ahead_ != 0 || in_order_ - acknowledged_ >= options_.window / 2)
            acknowledge(mad, reply);
    } else if (window_used) {
        window_last_ += options_.window;
        acknowledge(mad, reply);
    }
    return rmpp_step::progress;
}

void rmpp_receiver::acknowledge(mad_view mad, rmpp_reply& reply)
{
    acknowledged_ = in_order_;
    if (is_thorough() && outcome_.end == rmpp_end::not_yet)
        window_last_ = std::max(window_last_, in_order_ + options_.window);
    reply.answer(mad, {.version = rmpp_version,
                          .type = rmpp_type::ack,
                          .response_time = response_time(mad),
                          .flags = rmpp_flag::active,
                          .segment = in_order_,
                          .length_or_window = std::max(window_last_, in_order_)});
}

/// What an answer to this packet says of it: in the kernel's manner, what the packet itself said.
std::uint8_t rmpp_receiver::response_time(mad_view mad) const noexcept
{
    if (is_thorough())
        return options_.response_time;
    auto const header = rmpp_header_of(mad);
    return header ? header->response_time : options_.response_time;
}

rmpp_step rmpp_receiver::fail(rmpp_outcome outcome, time_point now)
{
    outcome_ = outcome;
    deadline_ = is_thorough() ? now + options_.linger : now;
    message_.clear();
    return rmpp_step::ended;
}

rmpp_step rmpp_receiver::refuse(mad_view mad, rmpp_end why, rmpp_status status, time_point now, rmpp_reply& reply)
{
    reply.refuse(mad, status, response_time(mad));
    return fail({why, status}, now);
}

rmpp_step rmpp_receiver::expire(time_point now, rmpp_reply& reply)
{
    if (now < next_deadline())
        return rmpp_step::nothing;
    if (outcome_.end != rmpp_end::not_yet)
        return rmpp_step::over;
    cancel(rmpp_end::too_long, rmpp_status::total_time_too_long, now, reply);
    return rmpp_step::ended;
}

void rmpp_receiver::cancel(rmpp_end why, rmpp_status status, time_point now, rmpp_reply& reply)
{
    if (outcome_.end != rmpp_end::not_yet)
        return;
    if (auto const headers = message_.headers(); !headers.empty())
        reply.refuse(mad_view{headers}, status, response_time(mad_view{headers}));
    (void)fail({why, status}, now);
}

time_point rmpp_receiver::next_deadline() const noexcept
{
    if (outcome_.end != rmpp_end::not_yet || options_.idle == duration::zero())
        return deadline_;
    return std::min(deadline_, last_progress_ + options_.idle);
}

} // namespace madrigal::engine
