#include <madrigal/engine/rmpp_sender.hpp>

#include <algorithm>
#include <cassert>
#include <limits>

namespace madrigal::engine {

rmpp_sender::rmpp_sender(rmpp_sender_options const& options, std::span<std::byte const> message, time_point now)
    : options_{options},
      message_{message},
      timeout_{options.timeout},
      end_{options.total == duration::zero() ? never : now + options.total},
      window_last_{std::max(1U, options.first_window)},
      retries_left_{options.retries}
{
    assert(message.size() >= mad_header_size);
    assert(has_rmpp(mad_view{message}.mgmt_class()));
    assert(message.size() >= class_data_offset(mad_view{message}.mgmt_class()));
    count_segments(data_size());
}

rmpp_sender::rmpp_sender(rmpp_sender_options const& options, growing_message& message, time_point now)
    : options_{options},
      message_{message.headers()},
      growing_{&message},
      timeout_{options.timeout},
      end_{options.total == duration::zero() ? never : now + options.total},
      window_last_{std::max(1U, options.first_window)},
      retries_left_{options.retries}
{
    assert(is_thorough() && !options.expects_answer);
    assert(has_rmpp(mad_view{message_}.mgmt_class()));
    assert(message_.size() == class_data_offset(mad_view{message_}.mgmt_class()));
    on_grown(now);
}

std::uint64_t rmpp_sender::data_size() const noexcept
{
    return growing_ != nullptr ? growing_->size()
                               : message_.size() - class_data_offset(mad_view{message_}.mgmt_class());
}

void rmpp_sender::count_segments(std::uint64_t data_bytes) noexcept
{
    auto const segments = rmpp_segments(mad_view{message_}.mgmt_class(), data_bytes);
    assert(segments <= std::numeric_limits<std::uint32_t>::max() - 64);
    count_ = static_cast<std::uint32_t>(segments);
}

void rmpp_sender::on_grown(time_point now) noexcept
{
    if (outcome_.end != rmpp_end::not_yet)
        return;
    count_segments(data_size());
    if (!is_whole())
        --count_; // perhaps the last one: that it must say
    // Where the window is used up, the ACK that widens it may be lost.
    if (resend_ == never && acknowledged_ < count_ && !has_segment())
        resend_ = now + patience();
}

std::size_t rmpp_sender::copy_data(std::uint64_t offset, std::span<std::byte> into) const noexcept
{
    if (growing_ != nullptr)
        return growing_->copy(offset, into);
    auto const data = message_.subspan(class_data_offset(mad_view{message_}.mgmt_class()));
    auto const part = data.subspan(std::min<std::uint64_t>(data.size(), offset));
    auto const size = std::min(part.size(), into.size());
    std::copy_n(part.begin(), size, into.begin());
    return size;
}

void rmpp_sender::take_segment(std::span<std::byte, mad_size> into, time_point now) noexcept
{
    assert(has_segment());
    auto const number = missing_ != 0 ? missing_ : next_++;
    missing_ = 0;
    repeated_ += number <= sent_ ? 1 : 0;
    sent_ = std::max(sent_, number);
    resend_ = stalled_ ? never : now + patience();

    auto const of = mad_view{message_}.mgmt_class();
    auto const offset = class_data_offset(of);
    auto const each = rmpp_segment_data(of);
    rmpp_header header{.version = rmpp_version,
        .type = rmpp_type::data,
        .response_time = options_.response_time,
        .flags = rmpp_flag::active,
        .segment = number};
    if (number == 1) {
        header.flags.set(rmpp_flag::first);
        auto const total = rmpp_total_payload(of, data_size());
        // One that is not known, or does not fit into the field, is not announced.
        if (is_whole() && total <= std::numeric_limits<std::uint32_t>::max())
            header.length_or_window = static_cast<std::uint32_t>(total);
    }
    if (number == count_ && is_whole()) {
        header.flags.set(rmpp_flag::last);
        header.length_or_window = rmpp_last_payload(of, data_size());
    }
    std::copy_n(message_.begin(), offset, into.begin());
    auto const rest = std::span{into}.subspan(offset);
    auto const size = copy_data(std::uint64_t{number - 1} * each, rest.first(each));
    std::fill(rest.begin() + static_cast<std::ptrdiff_t>(size), rest.end(), std::byte{0});
    (void)set_rmpp_header(mutable_mad_view{into}, header);
}

rmpp_step rmpp_sender::on_packet(mad_view mad, time_point now, rmpp_reply& reply)
{
    auto const header = rmpp_header_of(mad);
    if (!header)
        return rmpp_step::nothing;
    bool const running = outcome_.end == rmpp_end::not_yet;
    if (header->version != rmpp_version)
        return running ? refuse(mad, rmpp_status::unsupported_version, reply) : rmpp_step::nothing;
    switch (header->type) {
    case rmpp_type::data: return rmpp_step::nothing; // is of no transfer that goes this way
    case rmpp_type::ack: return on_ack(mad, *header, now, reply);
    case rmpp_type::stop:
    case rmpp_type::abort: return running ? on_end(mad, *header, reply) : rmpp_step::nothing;
    }
    return running ? refuse(mad, rmpp_status::bad_type, reply) : rmpp_step::nothing;
}

rmpp_step rmpp_sender::on_ack(mad_view mad, rmpp_header const& header, time_point now, rmpp_reply& reply)
{
    if (outcome_.end == rmpp_end::complete && options_.expects_answer) {
        if (header.segment == count_)
            hand_over(mad, reply); // it has missed the first time
        return rmpp_step::nothing;
    }
    if (outcome_.end != rmpp_end::not_yet)
        return rmpp_step::nothing;
    auto const segment = header.segment;
    auto const window_last = header.length_or_window;
    if (header.status != rmpp_status::normal)
        return refuse(mad, rmpp_status::illegal_status, reply);
    if (window_last < segment)
        return refuse(mad, rmpp_status::new_window_too_small, reply);
    if (segment > (is_thorough() ? sent_ : std::min(window_last_, count_)))
        return refuse(mad, rmpp_status::segment_too_big, reply);
    bool const advances = segment > acknowledged_;
    bool const shrinks = window_last < window_last_;
    if (segment < acknowledged_ || (shrinks && !(advances && is_thorough())))
        return rmpp_step::nothing; // an old one that has been overtaken

    bool const repeats = !advances && window_last == window_last_;
    bool const had_sent_all = !has_segment();
    window_last_ = std::max(window_last_, window_last);
    if (auto const wait = rmpp_response_time(header.response_time))
        timeout_ = std::clamp<duration>(
            *wait + 2 * options_.way, options_.timeout, std::max(options_.timeout, options_.longest_timeout));
    if (advances) {
        acknowledged_ = segment;
        overruns_ = false;
        next_ = std::max(next_, segment + 1);
        retries_left_ = options_.retries;
        if (missing_ <= segment)
            missing_ = 0;
        if (is_thorough())
            resend_ = segment == sent_ && has_segment() ? never : now + patience();
    }
    if (!is_thorough() && had_sent_all && has_segment()) { // else a kernel's time runs on
        resend_ = never;
        stalled_ = options_.stalls;
    }
    if (advances && growing_ != nullptr) // a duplicate of the last one acknowledged may be wanted to be answered
        growing_->forget_before(std::uint64_t{segment - 1} * rmpp_segment_data(mad_view{message_}.mgmt_class()));
    if (acknowledged_ == count_ && !is_whole()) {
        resend_ = never; // until there is more
    } else if (acknowledged_ == count_) {
        outcome_.end = rmpp_end::complete;
        resend_ = never;
        end_ = now + options_.linger;
        if (options_.expects_answer)
            hand_over(mad, reply);
        return rmpp_step::ended;
    }
    // A first repetition begins a repair; during it every ACK below its end names the next one that is missing.
    bool const repairing = acknowledged_ < repair_until_;
    if (is_thorough() && acknowledged_ != 0 && next_ > acknowledged_ + 1 && (repairing ? advances : repeats)) {
        missing_ = acknowledged_ + 1;
        if (!repairing)
            repair_until_ = sent_;
    }
    return rmpp_step::progress;
}

rmpp_step rmpp_sender::on_end(mad_view mad, rmpp_header const& header, rmpp_reply& reply)
{
    bool const stop = header.type == rmpp_type::stop;
    bool const usual = stop ? header.status == rmpp_status::resources_exhausted : is_abort_status(header.status);
    if (!usual && !is_thorough()) // kernels answer even an ABORT with an ABORT
        return refuse(mad, rmpp_status::illegal_status, reply);
    return fail({stop ? rmpp_end::stopped : rmpp_end::aborted, header.status});
}

rmpp_step rmpp_sender::expire(time_point now, rmpp_reply& reply)
{
    if (now < next_deadline())
        return rmpp_step::nothing;
    if (outcome_.end != rmpp_end::not_yet)
        return rmpp_step::over;
    if (now >= end_) {
        cancel(rmpp_end::too_long, rmpp_status::total_time_too_long, reply);
        return rmpp_step::ended;
    }
    if (retries_left_ == 0) {
        if (is_thorough())
            tell(rmpp_status::too_many_retries, reply);
        return fail({rmpp_end::unanswered, is_thorough() ? rmpp_status::too_many_retries : rmpp_status::normal});
    }
    --retries_left_;
    next_ = acknowledged_ + 1;
    repair_until_ = 0;
    missing_ = 0;
    if (next_ > sendable()) { // the window is used up, and the ACK that widens it may be lost
        if (is_thorough())
            missing_ = acknowledged_; // a duplicate is answered
        else
            overruns_ = true; // a kernel sends all the rest
    }
    resend_ = never; // until a segment has been taken
    return rmpp_step::progress;
}

void rmpp_sender::cancel(rmpp_end why, rmpp_status status, rmpp_reply& reply)
{
    if (outcome_.end != rmpp_end::not_yet)
        return;
    if (sent_ != 0) // else the peer knows nothing of it
        tell(status, reply);
    (void)fail({why, status});
}

rmpp_step rmpp_sender::fail(rmpp_outcome outcome) noexcept
{
    outcome_ = outcome;
    resend_ = never;
    end_ = time_point::min(); // nothing is left to be answered
    return rmpp_step::ended;
}

rmpp_step rmpp_sender::refuse(mad_view mad, rmpp_status status, rmpp_reply& reply) noexcept
{
    auto const header = rmpp_header_of(mad);
    reply.refuse(mad, status, is_thorough() || !header ? options_.response_time : header->response_time);
    return fail({rmpp_end::refused, status});
}

duration rmpp_sender::patience() const noexcept
{
    auto const longest = std::max(options_.timeout, options_.longest_timeout);
    auto wait = timeout_;
    for (auto in_a_row = options_.retries - retries_left_; in_a_row != 0 && wait < longest; --in_a_row)
        wait *= 2;
    return std::min(wait, longest);
}

void rmpp_sender::tell(rmpp_status status, rmpp_reply& reply) const noexcept
{
    // It goes the same way as the data, and an answer turns the method.
    std::array<std::byte, mad_size> turned{};
    auto const headers = message_.first(class_data_offset(mad_view{message_}.mgmt_class()));
    std::copy(headers.begin(), headers.end(), turned.begin());
    mutable_mad_view{turned}.set_method(rmpp_other_direction(mad_view{message_}.method()));
    reply.refuse(mad_view{turned}, status, options_.response_time);
}

void rmpp_sender::hand_over(mad_view mad, rmpp_reply& reply) const noexcept
{
    reply.answer(mad, {.version = rmpp_version,
                          .type = rmpp_type::ack,
                          .response_time = options_.response_time,
                          .flags = rmpp_flag::active,
                          .segment = 0,
                          .length_or_window = 1});
}

time_point rmpp_sender::next_deadline() const noexcept
{
    if (outcome_.end == rmpp_end::complete)
        return options_.expects_answer ? end_ : time_point::min();
    return std::min(end_, resend_);
}

} // namespace madrigal::engine
