// The channel's side of writes that may wait: who has the file, and what they have come to.
#include <madrigal/runtime/detail/agent_core.hpp>
#include <madrigal/runtime/detail/channel.hpp>

#include "runtime/packet_parts.hpp"

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>

#include <utility>

namespace madrigal::detail {

bool channel::may_wait_on_ethernet(engine::packet const& packet) const noexcept
{
    if (gone_ || losing_ || closed_)
        return false; // `write` says so at once
    auto const& header = *reinterpret_cast<umad::ib_user_mad_hdr const*>(packet.bytes.data());
    return handed_over_ != 0 || destinations_.may_wait(header);
}

std::uint64_t channel::hand_over(engine::packet_ptr packet)
{
    if (!writer_)
        writer_ = std::make_unique<file_writer>(file_.file(), reactor_->executor(), [weak = weak_from_this()] {
            if (auto const self = weak.lock())
                self->on_progress();
        });
    if (handed_over_++ == 0)
        work_ = asio::prefer(reactor_->executor(), asio::execution::outstanding_work.tracked);
    late_write next;
    next.agent = header_of(*packet).id;
    next.as_written = frame(*packet);
    next.packet = std::move(packet);
    auto const number = writer_->push(std::move(next));
    give_turn();
    return number;
}

void channel::give_turn()
{
    // While the loop reads, the file is the loop's.
    if (!writer_ || handed_over_ == 0 || with_writer() || dispatching_ || keep_turn_ || gone_ || closed_)
        return;
    // Poll takes the file's mutex too, and epoll polls whenever something has arrived.
    release_descriptor();
    writer_->start();
}

void channel::on_progress()
{
    if (!writer_)
        return; // retired since
    auto const self = shared_from_this();
    reactor_core::turn const in_turn{*reactor_};
    auto writes = writer_->collect();
    dispatch_written(writes);
    if (losing_) {
        found_gone();
        return;
    }
    if (!with_writer() && !descriptor_.is_open())
        descriptor_.assign(file_.native_handle());
    if (!with_writer() && interest_ != 0 && !paused_) {
        // Nobody has looked meanwhile.
        stop_waiting();
        on_readable({});
        return;
    }
    if (!with_writer())
        guards_wait_ = guards_wait_ && interest_ != 0; // nobody's deadlines otherwise
    give_turn();
    settle();
}

void channel::dispatch_written(std::vector<late_write>& writes)
{
    // What the agents write now stays with the loop until it has read what has come meanwhile.
    keep_turn_ = true;
    for (auto& written : writes) {
        --handed_over_;
        auto code = written.outcome;
        if (written.packet) {
            unframe(*written.packet);
            auto const& header = header_of(*written.packet);
            if (code) {
                code = refused(code, header);
            } else {
                ++counters_->packets_written;
                if (tap_) [[unlikely]]
                    show(tap_direction::sent, *written.packet);
                destinations_.on_written(header);
            }
        }
        if (auto* const agent = agents_[written.agent]; agent != nullptr)
            agent->on_written(std::move(written.packet), code);
    }
    for (auto* const agent : agents_)
        if (agent != nullptr && !writes.empty())
            agent->write_waiting();
    if (handed_over_ == 0)
        work_ = {};
    keep_turn_ = false;
}

void channel::guard_after_reading() noexcept
{
    guards_wait_ = true;
}

void channel::expire_guards()
{
    write_held();
    guards_wait_ = false;
    for (auto* const agent : agents_)
        if (agent != nullptr)
            agent->on_guard();
}

void channel::resume_guards()
{
    if (!std::exchange(guards_wait_, false))
        return;
    for (auto* const agent : agents_)
        if (agent != nullptr)
            agent->guard_again();
}

void channel::retire_writer() noexcept
{
    if (auto const retired = std::move(writer_)) {
        retired->retire(file_);
        handed_over_ = 0;
        work_ = {};
    }
    guards_wait_ = false;
}

} // namespace madrigal::detail
