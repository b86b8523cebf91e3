// The distribution's libibumad on the same real port: both sides read the same bytes and tell the same of a port.
#include "conformance/api_fixture.hpp"

#include <infiniband/umad.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <endian.h>

namespace madrigal::conformance {
namespace {

class Libibumad : public Api {
protected:
    void SetUp() override
    {
        if (on.emulated())
            GTEST_SKIP() << "libibumad opens this machine's own devices only";
        ASSERT_EQ(::umad_init(), 0);
        theirs = ::umad_open_port(on.ca().c_str(), static_cast<int>(on.port()));
        ASSERT_GE(theirs, 0) << "umad_open_port";
        packet_bytes.resize(::umad_size() + mad_size);
    }
    void TearDown() override
    {
        if (theirs >= 0)
            ::umad_close_port(theirs);
    }

    /// Registers class 0x32 with the case's OUI: a client, or a server of these methods.
    int register_theirs(std::initializer_list<unsigned> methods = {}) const
    {
        std::array<std::uint8_t, 3> bytes{
            static_cast<std::uint8_t>(oui >> 16), static_cast<std::uint8_t>(oui >> 8), static_cast<std::uint8_t>(oui)};
        std::array<long, 16 / sizeof(long)> mask{};
        for (auto const method : methods)
            mask[method / (8 * sizeof(long))] |= 1L << method % (8 * sizeof(long));
        auto const id = ::umad_register_oui(theirs, vendor, 0, bytes.data(), mask.data());
        EXPECT_GE(id, 0) << "umad_register_oui";
        return id;
    }
    /// Sends the same MAD to the same place as `one` says.
    int send_theirs(int agent, packet const& one)
    {
        void* const umad = packet_bytes.data();
        std::fill(packet_bytes.begin(), packet_bytes.end(), std::byte{0});
        ::umad_set_addr(umad, one.header.lid.value(), static_cast<int>(one.header.qpn.value()), one.header.sl,
            static_cast<int>(one.header.qkey.value()));
        ib_mad_addr address{};
        address.grh_present = 1;
        address.gid_index = one.header.gid_index;
        address.hop_limit = one.header.hop_limit;
        std::copy(std::begin(one.header.gid), std::end(one.header.gid), address.gid);
        ::umad_set_grh(umad, &address);
        ::umad_set_pkey(umad, one.header.pkey_index);
        std::copy(one.bytes.begin(), one.bytes.end(), static_cast<std::byte*>(::umad_get_mad(umad)));
        return ::umad_send(theirs, agent, umad, static_cast<int>(one.bytes.size()),
            static_cast<int>(one.header.timeout_ms), static_cast<int>(one.header.retries));
    }
    /// The next packet, in our form.
    std::optional<packet> receive_theirs(int timeout_ms = 10'000)
    {
        int length = mad_size;
        std::fill(packet_bytes.begin(), packet_bytes.end(), std::byte{0});
        if (::umad_recv(theirs, packet_bytes.data(), &length, timeout_ms) < 0)
            return std::nullopt;
        packet got;
        std::memcpy(&got.header, packet_bytes.data(), std::min(sizeof got.header, ::umad_size()));
        auto const* const mad = static_cast<std::byte const*>(::umad_get_mad(packet_bytes.data()));
        got.bytes.assign(mad, mad + (::umad_status(packet_bytes.data()) == 0 ? mad_size : mad_header_size));
        return got;
    }
    /// Equal in all that the sender decides.
    static void expect_same_request(packet const& a, packet const& b)
    {
        EXPECT_EQ(a.header.status, b.header.status);
        EXPECT_EQ(a.header.length, b.header.length);
        EXPECT_EQ(a.header.qpn, b.header.qpn);
        EXPECT_EQ(a.header.lid, b.header.lid);
        EXPECT_EQ(a.header.grh_present, b.header.grh_present);
        EXPECT_EQ(a.header.gid_index, b.header.gid_index);
        EXPECT_EQ(a.header.hop_limit, b.header.hop_limit);
        EXPECT_EQ(a.header.pkey_index, b.header.pkey_index);
        EXPECT_TRUE(std::equal(std::begin(a.header.gid), std::end(a.header.gid), std::begin(b.header.gid)));
        ASSERT_EQ(a.bytes.size(), b.bytes.size());
        for (std::size_t i = 0; i != a.bytes.size(); ++i)
            if (i < 8 || i >= 12) { // the upper half of the transaction id is the kernel's
                ASSERT_EQ(a.bytes[i], b.bytes[i]) << "byte " << i;
            }
    }

    int theirs = -1;
    std::vector<std::byte> packet_bytes;
};

TEST_F(Libibumad, WhatItSendsAndWhatWeSendArriveAsTheSameBytes)
{
    raw_file ours{on};
    raw_file server{on};
    auto const we = ours.agent(wanted_vendor());
    (void)server.agent(wanted_vendor({0x01}));
    auto const they = register_theirs();
    auto one = question(on, we, 0x55);
    for (std::size_t i = 40; i != mad_size; ++i)
        one.bytes[i] = static_cast<std::byte>(i * 13);
    ASSERT_EQ(ours.write(one), 0);
    auto const from_us = server.read();
    ASSERT_TRUE(from_us);
    ASSERT_EQ(send_theirs(they, one), 0);
    auto const from_them = server.read();
    ASSERT_TRUE(from_them);
    expect_same_request(*from_us, *from_them);
}

TEST_F(Libibumad, ReadsTheSameBytesAsWe)
{
    raw_file ours{on};
    auto const we = ours.agent(wanted_vendor({0x02}));
    (void)register_theirs({0x01});
    auto one = question(on, we, 0x56, method::get, 0);
    ASSERT_EQ(ours.write(one), 0);
    auto const at_theirs = receive_theirs();
    ASSERT_TRUE(at_theirs);
    one.mad().set_method(method::set);
    ASSERT_EQ(ours.write(one), 0);
    auto at_ours = ours.read();
    ASSERT_TRUE(at_ours);
    at_ours->mad().set_method(method::get);
    expect_same_request(*at_ours, *at_theirs);
}

TEST_F(Libibumad, IsAnsweredByOurServer)
{
    auto const serving = server();
    serve(serving, echo);
    auto const they = register_theirs();
    ASSERT_EQ(send_theirs(they, question(on, 0, 0x57)), 0);
    ASSERT_TRUE(run_until([&] { return serving.counters().sends == 1; }));
    auto const answer = receive_theirs();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header.status, 0u);
    EXPECT_EQ(answer->mad().method(), method::get_response);
    EXPECT_EQ(answer->mad().attribute_modifier(), 0x57u);
}

TEST_F(Libibumad, AnswersOurClient)
{
    auto const they = register_theirs({0x01});
    auto const asking = client();
    std::optional<error_code> ended;
    std::uint32_t modifier = 0;
    asking.async_request(ping(0x58), {.timeout = 10s}, [&](error_code code, received_mad const& answer) {
        ended = code;
        modifier = code ? 0 : answer.mad().attribute_modifier();
    });
    EXPECT_FALSE(run_until([&] { return ended.has_value(); }, 50ms));
    auto asked = receive_theirs();
    ASSERT_TRUE(asked);
    ASSERT_EQ(send_theirs(they, answer_to(*asked, static_cast<std::uint32_t>(they))), 0);
    ASSERT_TRUE(run_until([&] { return ended.has_value(); }));
    EXPECT_FALSE(*ended) << ended->message();
    EXPECT_EQ(modifier, 0x58u);
}

TEST_F(Libibumad, IsToldOfATimeoutAsWeAre)
{
    raw_file ours{on};
    raw_file server{on};
    auto const we = ours.agent(wanted_vendor());
    (void)server.agent(wanted_vendor({0x01}));
    auto const they = register_theirs();
    auto const one = question(on, we, 0x59, method::get, 100);
    ASSERT_EQ(ours.write(one), 0);
    ASSERT_EQ(send_theirs(they, one), 0);
    auto const to_us = ours.read();
    auto const to_them = receive_theirs();
    ASSERT_TRUE(to_us && to_them);
    EXPECT_EQ(to_us->header.status, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_EQ(to_them->header.status, to_us->header.status);
    EXPECT_EQ(to_them->header.timeout_ms, to_us->header.timeout_ms);
    EXPECT_TRUE(std::equal(to_us->bytes.begin() + 12, to_us->bytes.end(), to_them->bytes.begin() + 12));
}

TEST_F(Libibumad, MethodConflictsHoldBetweenItAndUs)
{
    (void)register_theirs({0x01});
    auto const ours = this->port.register_agent(umad::vendor_class(vendor, oui).serving(method::get));
    EXPECT_EQ(ours.error(), errc::registration_refused);
}

TEST_F(Libibumad, ReadsTheSamePortAttributes)
{
    umad_port_t read{};
    ASSERT_EQ(::umad_get_port(on.ca().c_str(), static_cast<int>(on.port()), &read), 0);
    auto const ours = on.attributes();
    EXPECT_EQ(ours.ca_name, read.ca_name);
    EXPECT_EQ(ours.number, static_cast<unsigned>(read.portnum));
    EXPECT_EQ(ours.base_lid.value(), read.base_lid);
    EXPECT_EQ(ours.lmc, read.lmc);
    EXPECT_EQ(ours.sm_lid.value(), read.sm_lid);
    EXPECT_EQ(ours.sm_sl, read.sm_sl);
    EXPECT_EQ(static_cast<unsigned>(ours.state), read.state);
    EXPECT_EQ(static_cast<unsigned>(ours.phys_state), read.phys_state);
    EXPECT_EQ(ours.rate, read.rate);
    // These are in network byte order there.
    EXPECT_EQ(ours.port_guid.value(), be64toh(read.port_guid));
    EXPECT_EQ(ours.gid_prefix, be64toh(read.gid_prefix));
    EXPECT_EQ(ours.capability_mask, be32toh(read.capmask));
    ASSERT_EQ(ours.pkeys.size(), read.pkeys_size);
    for (std::size_t i = 0; i != ours.pkeys.size(); ++i)
        EXPECT_EQ(ours.pkeys[i], read.pkeys[i]) << i;
    EXPECT_EQ(::umad_release_port(&read), 0);
}

} // namespace
} // namespace madrigal::conformance
