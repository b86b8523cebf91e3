// A machine on a configured fabric that asks the fabric's own subnet administration.
#pragma once

#include "small_fabric.hpp"

#include <madrigal/engine/rmpp_transfers.hpp>
#include <madrigal/wire/rmpp.hpp>
#include <madrigal/wire/sa.hpp>

#include <sim/core.hpp>
#include <sim/sa_server.hpp>

#include <poll.h>

#include <concepts>

namespace madrigal::sim::test {

/// What subnet administration has said.
struct sa_answer {
    umad::ib_user_mad_hdr header{};
    std::vector<std::byte> bytes;

    [[nodiscard]] sa_view sa() const { return *sa_view::from(bytes); }
    [[nodiscard]] method how() const { return sa().mad().method(); }
    [[nodiscard]] std::uint16_t status() const { return sa().mad().status(); }
    template <wire_layout T>
    [[nodiscard]] T as() const
    {
        return *decode<T>(sa().data());
    }
    /// The records of a table.
    template <wire_layout T>
    [[nodiscard]] std::vector<T> table() const
    {
        std::vector<T> all;
        auto rest = sa().data();
        if (rest.empty())
            return all;
        auto const stride = sa().record_stride();
        EXPECT_EQ(stride, sa_record_stride(T::layout.size));
        EXPECT_EQ(rest.size() % stride, 0U);
        for (; stride != 0 && rest.size() >= stride; rest = rest.subspan(stride))
            all.push_back(*decode<T>(rest));
        return all;
    }
};

/// host_a asks; the subnet manager is on host_b, which nobody has opened. Agents of three kinds ask: with the kernel's
/// RMPP, with RMPP of their own, and without any.
class sa_talk {
public:
    explicit sa_talk(fabric_options options = {}, topology::fabric layout = two_switches(),
        topology::endpoint sm = {host_b, 1}, std::optional<std::string_view> ca = std::nullopt)
        : with{std::move(layout), asked_for(std::move(options), sm), ca}
    {
        kernel = file().register_server(0x03, 2, {}, 0, 1);
        own = file().register_server(0x03, 2, {}, 0, 1, 1);
        none = file().register_server(0x03, 2, {}, 0, 0);
        sm_lid = with.on->look_at(sm).value().base_lid;
    }

    open_file& file() { return *with.file; }
    engine::virtual_time& clock() { return with.clock; }
    sa_server& server() { return *with.on->implementation()->sa; }
    [[nodiscard]] lid at(topology::endpoint end) const { return with.on->look_at(end).value().base_lid; }
    [[nodiscard]] gid gid_of(topology::endpoint end) const
    {
        return {default_subnet_prefix, with.on->look_at(end).value().port_guid};
    }

    /// A question of one MAD about records.
    template <wire_layout T>
    [[nodiscard]] std::array<std::byte, mad_size> question(
        method how, record_query<T> const& query, std::uint64_t sm_key = 0)
    {
        std::array<std::byte, mad_size> bytes;
        build_sa_request(bytes, {.method_of_mad = how, .transaction_id = with.next_id(), .sm_key = sm_key}, query);
        return bytes;
    }
    /// Asks with the kernel's RMPP, and lets time pass until the answer is there.
    std::optional<sa_answer> ask(std::span<std::byte const> bytes, duration within = 60s)
    {
        with.drain();
        EXPECT_EQ(file().write(to_sa(kernel), bytes), 0);
        return read(within);
    }
    template <wire_layout T>
    std::optional<sa_answer> ask(method how, record_query<T> const& query, std::uint64_t sm_key = 0)
    {
        return ask(question(how, query, sm_key));
    }
    /// The status of an answer; 0xFFFF where there is none.
    template <wire_layout T>
    std::uint16_t status_of(method how, record_query<T> const& query, std::uint64_t sm_key = 0)
    {
        auto const got = ask(how, query, sm_key);
        return got ? got->status() : std::uint16_t{0xFFFF};
    }
    template <wire_layout T>
    std::vector<T> table(record_query<T> const& query = {}, std::uint64_t sm_key = 0)
    {
        auto const got = ask(method::get_table, query, sm_key);
        EXPECT_TRUE(got);
        if (!got)
            return {};
        EXPECT_EQ(got->how(), method::get_table_response);
        EXPECT_EQ(got->status(), 0);
        EXPECT_EQ(got->sa().sm_key(), 0U);
        return got->status() == 0 ? got->template table<T>() : std::vector<T>{};
    }
    template <wire_layout T>
    T get(record_query<T> const& query = {}, std::uint64_t sm_key = 0)
    {
        auto const got = ask(method::get, query, sm_key);
        EXPECT_TRUE(got);
        if (!got)
            return {};
        EXPECT_EQ(got->how(), method::get_response);
        EXPECT_EQ(got->status(), 0) << T::layout.name;
        return got->template as<T>();
    }
    /// Asks for a table and does the segments itself.
    std::optional<sa_answer> ask_by_hand(std::span<std::byte const> bytes, duration within = 60s)
    {
        with.drain();
        engine::rmpp_transfers transfers{engine::rmpp_transfers_options{}};
        EXPECT_EQ(file().write(to_sa(own), bytes), 0);
        auto const end = clock().now() + within;
        for (;;) {
            while (auto const got = file().read()) {
                if (got->header.status != 0)
                    continue;
                if (!is_active_rmpp(got->view()))
                    return sa_answer{got->header, {got->mad.begin(), got->mad.end()}};
                EXPECT_TRUE(transfers.on_packet(got->header, got->view(), clock().now()));
            }
            for (engine::rmpp_packet next; transfers.next_packet(next, clock().now());) {
                next.to.id = own;
                EXPECT_EQ(file().write(next.to, next.mad), 0);
            }
            if (auto const happened = transfers.next_event()) {
                EXPECT_EQ(happened->what, engine::rmpp_event::kind::received);
                return sa_answer{happened->peer, happened->message.whole()};
            }
            if (!readable() && !step(end))
                return std::nullopt;
        }
    }
    [[nodiscard]] umad::ib_user_mad_hdr to_sa(std::uint32_t agent) const
    {
        return header_to(agent, sm_lid, 1, timeout_ms);
    }
    bool readable()
    {
        pollfd looked{file()->native_handle(), POLLIN, 0};
        return ::poll(&looked, 1, 0) == 1;
    }
    /// Time passes up to the next event; false once `end` is reached.
    bool step(time_point end)
    {
        if (clock().next() > end) {
            clock().advance(end - clock().now());
            return false;
        }
        clock().advance_to_next();
        return true;
    }
    /// What waits, or comes within this time; nothing for a report that nothing came.
    std::optional<sa_answer> read(duration within = 60s)
    {
        auto const end = clock().now() + within;
        while (!readable())
            if (!step(end) && !readable())
                return std::nullopt;
        sa_answer got;
        auto done = file()->read(buffer_);
        std::memcpy(&got.header, buffer_.data(), sizeof got.header);
        if (!done) {
            EXPECT_EQ(done.error().code().value(), ENOSPC);
            buffer_.resize(got.header.length);
            done = file()->read(buffer_);
        }
        EXPECT_TRUE(done);
        if (!done || got.header.status != 0)
            return std::nullopt;
        got.bytes.assign(
            buffer_.begin() + umad::header_size, buffer_.begin() + static_cast<std::ptrdiff_t>(done.value()));
        return got;
    }

    bench with;
    std::uint32_t kernel = 0;
    std::uint32_t own = 0;
    std::uint32_t none = 0;
    lid sm_lid;
    std::uint32_t timeout_ms = 60'000;

private:
    static fabric_options asked_for(fabric_options options, topology::endpoint sm)
    {
        options.start = start_state::configured;
        options.answer_sa = true;
        options.sm = sm;
        return options;
    }

    std::vector<std::byte> buffer_ = std::vector<std::byte>(umad::header_size + mad_size);
};

} // namespace madrigal::sim::test
