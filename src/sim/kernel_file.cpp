#include <sim/kernel_file.hpp>

#include <sim/addresses.hpp>
#include <sim/core.hpp>
#include <sim/kernel_rmpp.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace madrigal::sim {
namespace {

error_code system_code(int number) noexcept
{
    return {number, boost::system::system_category()};
}

} // namespace

kernel_file::kernel_file(std::shared_ptr<core> of) noexcept : core_{std::move(of)} {}

result<std::unique_ptr<kernel_file>> kernel_file::make(std::shared_ptr<core> of)
{
    std::unique_ptr<kernel_file> file{new kernel_file{std::move(of)}};
    if (auto const failed = file->readiness_.open(file->core_->clock.timer_descriptor()); failed.code())
        return failed;
    return file;
}

kernel_file::~kernel_file()
{
    core::entry const hold{*core_};
    device_gone();
}

void kernel_file::attach(kernel_port& port)
{
    port.add(*this);
    port_ = &port;
}

void kernel_file::device_gone() noexcept
{
    if (port_ == nullptr)
        return;
    for (std::uint32_t id = 0; id != umad::max_agents; ++id)
        leave(id);
    while (first_ != nullptr)
        core_->packets.give_back(*std::exchange(first_, first_->next));
    last_ = nullptr;
    received_ = 0;
    port_->remove(*this);
    port_ = nullptr;
    readiness_.set();
}

result<std::size_t> kernel_file::read(std::span<std::byte> buffer) noexcept
{
    if (buffer.size() < header_bytes())
        return system_code(EINVAL);
    {
        // What waits is given without a look at the clock.
        std::lock_guard const hold{core_->mutex};
        if (port_ == nullptr)
            return system_code(EIO);
        if (first_ != nullptr)
            return take_first(buffer);
    }
    core::entry const hold{*core_};
    if (port_ == nullptr)
        return system_code(EIO);
    return first_ != nullptr ? take_first(buffer) : system_code(EAGAIN);
}

result<std::size_t> kernel_file::take_first(std::span<std::byte> buffer) noexcept
{
    auto& one = *first_;
    std::size_t const size = header_bytes() + one.length;
    auto const first = std::min<std::size_t>(one.length, mad_size);
    if (buffer.size() < header_bytes() + first)
        return system_code(EINVAL);
    std::memcpy(buffer.data(), &one.header, header_bytes());
    std::memcpy(buffer.data() + header_bytes(), one.mad.data(), first);
    if (one.message) {
        // The reader of a buffer that is too small has the beginning and the length, and may come again.
        if (buffer.size() < size)
            return system_code(ENOSPC);
        one.message->copy(
            buffer.subspan(header_bytes() + first, one.length - first), first - one.message->headers().size());
    }
    first_ = one.next;
    if (one.header.status == 0)
        --received_;
    if (first_ == nullptr) {
        last_ = nullptr;
        readiness_.clear();
    }
    core_->packets.give_back(one);
    return size;
}

result<std::size_t> kernel_file::write(std::span<std::byte const> bytes) noexcept
{
    try {
        core::entry const hold{*core_};
        if (int const failed = send(bytes); failed != 0)
            return system_code(failed);
        return bytes.size();
    } catch (std::bad_alloc const&) {
        return system_code(ENOMEM);
    }
}

error_code kernel_file::enable_pkey() noexcept
{
    std::lock_guard const hold{core_->mutex};
    if (already_used_)
        return system_code(EINVAL);
    pkey_mode_ = true;
    return {};
}

std::optional<std::uint32_t> kernel_file::free_id() const noexcept
{
    for (std::uint32_t id = 0; id != umad::max_agents; ++id)
        if (!agents_[id])
            return id;
    return std::nullopt;
}

int kernel_file::enter(agent_request const& request, std::uint32_t id)
{
    auto const& end = *core_->at(port_->where()).end;
    if (!(request.qpn == 0 ? end.has_smi : end.has_gsi))
        return EPROTONOSUPPORT;
    if (int const refused = check_registration(request); refused != 0)
        return refused;
    auto agent = std::make_unique<kernel_agent>();
    agent->file = this;
    agent->id = id;
    agent->registered = request;
    agent->upper = ++core_->last_agent;
    if (agent->has_kernel_rmpp())
        agent->rmpp = std::make_unique<kernel_rmpp>(*core_, *this, *agent);
    if (int const refused = port_->enter(*agent); refused != 0)
        return refused;
    core_->agents.emplace(agent->upper, agent.get());
    agents_[id] = std::move(agent);
    return 0;
}

error_code kernel_file::register_agent(umad::ib_user_mad_reg_req& request) noexcept
{
    core::entry const hold{*core_};
    if (port_ == nullptr)
        return system_code(EPIPE);
    if (request.qpn > 1)
        return system_code(EINVAL);
    auto const id = free_id();
    if (!id)
        return system_code(ENOMEM);
    agent_request wanted{.qpn = request.qpn,
        .mgmt_class = request.mgmt_class,
        .class_version = request.mgmt_class_version,
        .oui = static_cast<std::uint32_t>(request.oui[0] << 16 | request.oui[1] << 8 | request.oui[2]),
        .rmpp_version = request.rmpp_version,
        .methods = {}};
    // The mask is an array of native longs, whatever the field's declaration says.
    std::array<unsigned long, sizeof(request.method_mask) / (sizeof(unsigned long))> words{};
    std::memcpy(words.data(), request.method_mask, sizeof request.method_mask);
    constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
    for (std::size_t method = 0; method != wanted.methods.size(); ++method)
        wanted.methods[method] = (words[method / word_bits] >> method % word_bits & 1) != 0;
    if (int const refused = enter(wanted, *id); refused != 0)
        return system_code(refused);
    already_used_ = true;
    request.id = *id;
    return {};
}

error_code kernel_file::register_agent2(umad::ib_user_mad_reg_req2& request) noexcept
{
    core::entry const hold{*core_};
    if (port_ == nullptr)
        return system_code(EPIPE);
    if (request.qpn > 1)
        return system_code(EINVAL);
    if ((request.flags & ~umad::user_rmpp) != 0) {
        request.flags = umad::user_rmpp;
        return system_code(EINVAL);
    }
    auto const id = free_id();
    if (!id)
        return system_code(ENOMEM);
    if (request.mgmt_class != 0 && (request.oui & 0xFF00'0000) != 0)
        return system_code(EINVAL);
    agent_request wanted{.qpn = request.qpn,
        .mgmt_class = request.mgmt_class,
        .class_version = request.mgmt_class_version,
        .oui = request.oui,
        .rmpp_version = request.rmpp_version,
        .user_rmpp = (request.flags & umad::user_rmpp) != 0,
        .methods = {}};
    for (std::size_t method = 0; method != wanted.methods.size(); ++method)
        wanted.methods[method] = (request.method_mask[method / 64] >> method % 64 & 1) != 0;
    if (int const refused = enter(wanted, *id); refused != 0)
        return system_code(refused);
    if (!already_used_)
        pkey_mode_ = true;
    already_used_ = true;
    request.id = *id;
    return {};
}

error_code kernel_file::unregister_agent(std::uint32_t id) noexcept
{
    core::entry const hold{*core_};
    if (id >= umad::max_agents || !agents_[id])
        return system_code(EINVAL);
    leave(id);
    return {};
}

void kernel_file::leave(std::uint32_t id) noexcept
{
    if (!agents_[id])
        return;
    sends_.for_each([&](kernel_send& one) {
        if (one.header.id == id)
            retire(one);
    });
    auto const agent = std::move(agents_[id]);
    port_->leave(*agent);
    core_->agents.erase(agent->upper);
}

void kernel_file::take_request(kernel_agent& agent, packet& one)
{
    describe(agent, one);
    if (agent.rmpp && is_active_rmpp(std::as_const(one).view()))
        agent.rmpp->receive(one);
    else
        deliver(one);
}

void kernel_file::take_message(
    kernel_agent const& agent, umad::ib_user_mad_hdr const& header, engine::rmpp_message message)
{
    mad_view const mad{message.headers()};
    if (mad.is_response()) {
        auto* const asked = find_question(header, mad);
        if (asked == nullptr) {
            core_->count(drop_reason::late_answer);
            return;
        }
        answered(*asked);
    }
    if (received_ >= receive_limit) {
        core_->count(drop_reason::receive_list_full);
        return;
    }
    auto& one = core_->packets.take();
    auto const in_headers = message.headers().size();
    one.header = header;
    one.header.id = agent.id;
    one.length = static_cast<std::uint32_t>(in_headers + message.readable());
    one.header.length = static_cast<std::uint32_t>(header_bytes() + one.length);
    std::memcpy(one.mad.data(), message.headers().data(), in_headers);
    message.copy(std::span{one.mad}.subspan(in_headers));
    if (one.length > mad_size)
        one.message = std::make_unique<engine::rmpp_message>(std::move(message));
    ++received_;
    append(one);
}

/// What a reader gets before a received MAD: whom it is for, and whence it came.
void kernel_file::describe(kernel_agent const& agent, packet& one) const
{
    sim::describe(core_->at(port_->where()), one);
    one.header.id = agent.id;
    one.length = mad_size;
    one.header.length = static_cast<std::uint32_t>(header_bytes() + mad_size);
}

void kernel_file::deliver(packet& one)
{
    if (received_ >= receive_limit) {
        core_->drop(one, drop_reason::receive_list_full);
        return;
    }
    ++received_;
    append(one);
}

void kernel_file::append(packet& one)
{
    one.next = nullptr;
    if (last_ != nullptr) {
        last_->next = &one;
        last_ = &one;
        return;
    }
    first_ = last_ = &one;
    readiness_.set();
}

} // namespace madrigal::sim
