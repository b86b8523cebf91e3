// Two machines far apart whose agents of class 0x03 exchange messages through the RMPP of their emulated kernels.
#pragma once

#include "small_fabric.hpp"

#include <madrigal/wire/rmpp.hpp>

#include <poll.h>

namespace madrigal::sim::test {

/// A packet of any length, its header apart.
struct message {
    umad::ib_user_mad_hdr header{};
    std::vector<std::byte> bytes;

    [[nodiscard]] mad_view mad() const { return mad_view{bytes}; }
};

/// Byte `i` of the data of every message.
inline std::byte filling(std::size_t i)
{
    return static_cast<std::byte>(i * 29 + i / 253);
}

/// A message of class 0x03 that is for RMPP.
inline std::vector<std::byte> table_of(std::uint64_t transaction_id, method how, std::size_t size)
{
    constexpr auto of = management_class::subnet_administration;
    std::vector<std::byte> bytes(class_data_offset(of) + size);
    mutable_mad_view const mad{bytes};
    mad.set_base_version(1);
    mad.set_mgmt_class(of);
    mad.set_class_version(2);
    mad.set_method(how);
    mad.set_transaction_id(transaction_id);
    EXPECT_TRUE(set_rmpp_header(mad, {.version = 1, .type = rmpp_type::data, .flags = rmpp_flag::active}));
    for (std::size_t i = 0; i != size; ++i)
        bytes[class_data_offset(of) + i] = filling(i);
    return bytes;
}

inline void expect_table(message const& got, std::size_t size)
{
    constexpr auto offset = class_data_offset(management_class::subnet_administration);
    EXPECT_EQ(got.header.status, 0U);
    ASSERT_EQ(got.bytes.size(), offset + size);
    EXPECT_EQ(got.header.length, umad::header_size + got.bytes.size());
    for (std::size_t i = 0; i != size; ++i)
        ASSERT_EQ(got.bytes[offset + i], filling(i)) << i;
}

/// The client on `a`, the server on `c`, three links away.
class RmppTalk : public ::testing::Test {
protected:
    static constexpr std::uint8_t subn_adm = 0x03;

    RmppTalk() : machine_c{host::make(with.on, "H-c").value()}, c{*machine_c}
    {
        asks = a.register_server(subn_adm, 2, {}, 0, 1);
        serves = c.register_server(subn_adm, 2, {0x12, 0x14}, 0, 1);
        to_c = header_to(asks, with.on->look_at({host_c, 1}).value().base_lid, 1, 60'000);
    }

    bool readable(open_file const& file)
    {
        pollfd looked{file->native_handle(), POLLIN, 0};
        return ::poll(&looked, 1, 0) == 1;
    }
    /// Lets time pass until a packet waits on the file, so long at most.
    bool wait(open_file const& file, duration within = 60s)
    {
        auto const end = with.clock.now() + within;
        while (!readable(file)) {
            if (with.clock.next() > end) {
                with.clock.advance(end - with.clock.now());
                return readable(file);
            }
            with.clock.advance_to_next();
        }
        return true;
    }
    /// Whatever waits, or comes within this time.
    std::optional<message> read(open_file& file, duration within = 60s)
    {
        if (!wait(file, within))
            return std::nullopt;
        message got;
        auto done = file->read(buffer_);
        std::memcpy(&got.header, buffer_.data(), sizeof got.header);
        if (!done) {
            EXPECT_EQ(done.error().code().value(), ENOSPC);
            buffer_.resize(got.header.length);
            done = file->read(buffer_);
        }
        EXPECT_TRUE(done);
        got.bytes.assign(buffer_.begin() + umad::header_size,
            buffer_.begin() + static_cast<std::ptrdiff_t>(done ? done.value() : umad::header_size));
        return got;
    }
    /// A question of one plain MAD by the client; what the server has read.
    std::optional<message> asked(std::uint32_t timeout_ms = 600'000)
    {
        std::array<std::byte, mad_size> mad{};
        auto const headers = table_of(++number, method::get_table, 0);
        std::copy_n(headers.begin(), mad_header_size, mad.begin());
        to_c.timeout_ms = timeout_ms;
        EXPECT_EQ(a.write(to_c, mad), 0);
        return read(c, 1s);
    }
    /// The server's answer to a question; 0 or the errno.
    int reply(message const& question, std::size_t size, std::uint32_t timeout_ms = 0, std::uint32_t retries = 3)
    {
        auto to = question.header;
        to.id = serves;
        to.qkey.set(0x8001'0000);
        to.timeout_ms = timeout_ms;
        to.retries = retries;
        return c.write(to, table_of(question.mad().transaction_id(), method::get_table_response, size));
    }
    /// A question of a message by the client; 0 or the errno.
    int ask(std::size_t size, std::uint32_t timeout_ms, std::uint32_t retries = 0)
    {
        to_c.timeout_ms = timeout_ms;
        to_c.retries = retries;
        return a.write(to_c, table_of(++number, method::get_multi, size));
    }

    engine::virtual_time& clock() { return with.clock; }

    bench with{two_switches(), {.start = start_state::configured}};
    std::shared_ptr<host> machine_c;
    open_file& a = *with.file;
    open_file c;
    std::uint32_t asks = 0;
    std::uint32_t serves = 0;
    std::uint32_t number = 0;
    umad::ib_user_mad_hdr to_c;

private:
    std::vector<std::byte> buffer_ = std::vector<std::byte>(umad::header_size + mad_size);
};

} // namespace madrigal::sim::test
