#include <madrigal/runtime/detail/agent_core.hpp>
#include <madrigal/runtime/detail/channel.hpp>

#include "runtime/log.hpp"
#include "runtime/packet_parts.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace madrigal::detail {
namespace {

bool is_errno(error_code code, int number) noexcept
{
    return code.category() == boost::system::system_category() && code.value() == number;
}

/// How many packets are read before what they have led to is written.
constexpr std::size_t write_batch = 32;

} // namespace

channel::channel(std::shared_ptr<reactor_core> reactor, umad::port_attributes attributes, umad::umad_file file,
    std::shared_ptr<port_io_counters> counters)
    : reactor_{std::move(reactor)},
      attributes_{std::move(attributes)},
      file_{std::move(file)},
      device_{file_.device()},
      descriptor_{reactor_->executor(), file_.native_handle()},
      counters_{std::move(counters)},
      log_limit_{1, 10},
      destinations_{attributes_},
      ethernet_{attributes_.layer == umad::link_layer::ethernet}
{
    learn_framing();
}

channel::~channel()
{
    release_descriptor();
    retire_writer();
}

void channel::belong_to_one_agent(std::function<void()> on_loss)
{
    one_agent_ = true;
    on_loss_ = std::move(on_loss);
}

void channel::release_descriptor() noexcept
{
    // The file owns the descriptor; Asio only watches it.
    if (descriptor_.is_open())
        descriptor_.release();
    ++wait_epoch_;
    waiting_ = false;
}

result<std::uint32_t> channel::attach(agent_core& agent, umad::registration const& wanted)
{
    if (gone_ || closed_)
        return error{errc::device_gone, device()};
    BOOST_OUTCOME_TRY(auto registered, file_.register_agent(wanted));
    if (registered.id >= agents_.size() || agents_[registered.id] != nullptr)
        return error{errc::registration_refused, device() + ": the kernel gave agent id " +
                                                     std::to_string(registered.id) +
                                                     ", which is taken or out of range"};
    agents_[registered.id] = &agent;
    return registered.id;
}

void channel::detach(agent_core& agent) noexcept
{
    auto const place = std::find(agents_.begin(), agents_.end(), &agent);
    bool const attached = place != agents_.end();
    if (attached)
        *place = nullptr;
    if (one_agent_)
        close();
    else if (attached && !gone_)
        (void)file_.unregister_agent(static_cast<std::uint32_t>(place - agents_.begin()));
}

void channel::learn_framing() noexcept
{
    offset_ = umad::header_size - file_.header_size();
    path_bits_ = static_cast<std::uint8_t>((1U << attributes_.lmc) - 1);
}

void channel::shorten(engine::packet& packet) const noexcept
{
    std::memmove(packet.bytes.data() + offset_, packet.bytes.data(), umad::old_header_size);
}

void channel::lengthen(engine::packet& packet) const noexcept
{
    std::memmove(packet.bytes.data(), packet.bytes.data() + offset_, umad::old_header_size);
    std::memset(packet.bytes.data() + umad::old_header_size, 0, offset_);
}

std::span<std::byte const> channel::frame_message(engine::packet& packet) const noexcept
{
    auto const bytes = packet.more->message.bytes();
    auto const size = bytes.size() - offset_;
    auto& header = header_of(packet);
    header.length = static_cast<std::uint32_t>(size);
    header.path_bits &= path_bits_;
    std::copy_n(packet.bytes.begin(), packet.size, bytes.begin());
    if (offset_ != 0)
        std::memmove(bytes.data() + offset_, bytes.data(), umad::old_header_size);
    return bytes.subspan(offset_);
}

error_code channel::refused(error_code code, umad::ib_user_mad_hdr const& header) noexcept
{
    if (ethernet_)
        destinations_.on_refused(header);
    if (!is_errno(code, EIO))
        return code;
    // An agent that is registered gets EIO for one reason only.
    losing_ = true;
    return errc::device_gone;
}

error_code channel::write(engine::packet& packet)
{
    if (gone_ || losing_ || closed_)
        return errc::device_gone;
    auto const written = file_.file().write(frame(packet));
    unframe(packet);
    if (written) {
        ++counters_->packets_written;
        if (tap_) [[unlikely]]
            show(tap_direction::sent, packet);
        return {};
    }
    auto const code = refused(written.error().code(), header_of(packet));
    if (losing_) // Telling everybody waits until the caller has returned.
        asio::post(reactor_->executor(), [self = shared_from_this()] { self->found_gone(); });
    return code;
}

void channel::settle()
{
    if (dispatching_ || paused_ || closed_ || gone_)
        return;
    if (interest_ != 0) {
        if (!waiting_ && !with_writer())
            wait();
        return;
    }
    for (auto* agent : agents_)
        if (agent != nullptr)
            agent->on_idle();
    stop_waiting();
}

void channel::stop_waiting()
{
    if (!waiting_)
        return;
    ++wait_epoch_;
    waiting_ = false;
    if (descriptor_.is_open()) // not while the writer has the turn
        descriptor_.cancel();
}

void channel::wait()
{
    waiting_ = true;
    descriptor_.async_wait(
        asio::posix::descriptor_base::wait_read, [self = shared_from_this(), epoch = wait_epoch_](error_code code) {
            // A wait that was given up may have completed before; another may have begun since.
            if (epoch != self->wait_epoch_)
                return;
            self->waiting_ = false;
            self->on_readable(code);
        });
}

void channel::on_readable(error_code code)
{
    if (code || closed_)
        return;
    if (with_writer())
        return; // read when it comes back
    bool more = true;
    {
        // A handler that throws ends this turn, and the program may run the loop again.
        struct turn {
            channel& of;
            bool unwinding = true;
            ~turn()
            {
                of.write_held();
                of.dispatching_ = false;
                of.dispatched_to_.reset();
                of.give_turn();
                if (!unwinding)
                    return;
                of.resume_guards();
                of.settle();
            }
        } dispatching{*this};
        reactor_core::turn const in_turn{*reactor_};
        dispatching_ = true;
        now_ = reactor_->time().now();
        for (std::size_t read = 0; read != reactor_->read_budget() && more; ++read) {
            // What the first packet leads to goes out at once, as it may be the only one.
            if (read % write_batch == 1)
                holds_writes_ = true;
            else if (read % write_batch == 0)
                write_held();
            more = read_one();
        }
        // Before the writer has the turn again, which may last.
        if (!more && guards_wait_)
            expire_guards();
        dispatching.unwinding = false;
    }
    if (closed_ || gone_)
        return;
    if (!more) {
        resume_guards();
        if (!paused_)
            settle();
        return;
    }
    // The budget is used up: others on the loop first, then on.
    if (interest_ == 0) {
        settle();
        return;
    }
    waiting_ = true;
    asio::post(reactor_->executor(), [self = shared_from_this(), epoch = wait_epoch_] {
        if (epoch != self->wait_epoch_)
            return;
        self->waiting_ = false;
        self->on_readable({});
    });
}

void channel::write_held()
{
    holds_writes_ = false;
    if (!std::exchange(writes_held_, false))
        return;
    for (auto* agent : agents_)
        if (agent != nullptr)
            agent->write_waiting();
}

bool channel::read_one()
{
    if (!reading_) {
        reading_ = reactor_->packets().acquire();
        if (!reading_) {
            // Every packet is queued or in somebody's hands. The kernel keeps what has arrived; look again soon.
            report("packets in memory at a time, all in use; reading pauses, limit", reactor_->packets().max_objects());
            pause();
            return false;
        }
    }
    if (reading_->more) [[unlikely]] // of what a handler has thrown at
        reading_->more.reset();
    auto const got = file_.file().read(reading_->storage().subspan(offset_));
    if (got) {
        ++counters_->packets_read;
        dispatch(got.value() + offset_);
        return !closed_ && !gone_;
    }
    auto const code = got.error().code();
    if (is_errno(code, EAGAIN) || is_errno(code, EINTR))
        return false;
    if (is_errno(code, EIO)) {
        found_gone();
        return false;
    }
    if (is_errno(code, ENOSPC))
        return read_message();
    ++counters_->read_errors;
    report("read errors, errno", static_cast<std::uint64_t>(code.value()));
    pause();
    return false;
}

void channel::pause()
{
    if (!resume_)
        resume_ = reactor_->time().make_alarm([this] {
            auto const self = shared_from_this();
            paused_ = false;
            if (interest_ == 0)
                settle();
            else if (!waiting_)
                on_readable({});
        });
    resume_->arm(now_ + std::chrono::milliseconds{1});
    paused_ = true;
}

void channel::show(tap_direction direction, engine::packet const& packet) noexcept
{
    auto const shown_to = tap_; // the sink may take it off
    struct while_it_looks {
        reactor_core& reactor;
        explicit while_it_looks(reactor_core& of) noexcept : reactor{of} { reactor.set_showing(true); }
        ~while_it_looks() { reactor.set_showing(false); }
    } const looking{*reactor_};
    if (!shown_to->show(direction, packet, attributes_) && tap_ == shown_to)
        tap_.reset();
}

void channel::found_gone()
{
    if (gone_ || closed_)
        return;
    lose();
    if (on_loss_)
        on_loss_();
}

void channel::lose()
{
    if (gone_ || closed_)
        return;
    ++counters_->device_losses;
    log().warn("{}: the device is gone", device());
    drop_out();
}

void channel::lose_as_well()
{
    if (!gone_ && !closed_)
        drop_out();
}

void channel::drop_out()
{
    gone_ = true;
    losing_ = false;
    auto const self = shared_from_this();
    release_descriptor();
    retire_writer();
    // None of them is registered any more, so none will detach. No user code runs in between.
    for (auto* agent : std::exchange(agents_, {}))
        if (agent != nullptr)
            agent->on_device_gone();
}

void channel::replace(umad::port_attributes attributes, umad::umad_file file)
{
    release_descriptor();
    agents_.fill(nullptr);
    attributes_ = std::move(attributes);
    file_ = std::move(file);
    device_ = file_.device();
    descriptor_.assign(file_.native_handle());
    destinations_ = slow_destinations{attributes_};
    ethernet_ = attributes_.layer == umad::link_layer::ethernet;
    learn_framing();
    gone_ = losing_ = false;
}

void channel::close() noexcept
{
    closed_ = true;
    release_descriptor();
    retire_writer();
    if (resume_) // not destroyed: this may be called from its callback
        resume_->arm(never);
    auto const closing = std::move(file_);
}

void channel::abandon_all() noexcept
{
    closed_ = true;
    auto const agents = agents_;
    for (auto* agent : agents)
        if (agent != nullptr && std::find(agents_.begin(), agents_.end(), agent) != agents_.end())
            agent->shared_from_this()->abandon_all();
    release_descriptor();
    retire_writer();
    resume_.reset();
    reading_.reset();
}

void channel::report(char const* what, std::uint64_t value)
{
    std::uint64_t suppressed = 0;
    if (log_limit_.allow(now(), &suppressed))
        log().warn("{}: {} {} ({} more such messages held back)", device(), what, value, suppressed);
}

} // namespace madrigal::detail
