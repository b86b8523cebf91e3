// Both machines of RMPP against each other over a wire that loses, doubles and reorders.
#include "engine/rmpp_support.hpp"
#include "engine/seeds.hpp"

namespace madrigal::engine {
namespace {

using namespace std::chrono_literals;
using namespace testing;

/// Who is a kernel.
struct parties {
    bool kernel_sends;
    bool kernel_receives;

    [[nodiscard]] rmpp_sender_options sends(duration timeout = 500ms) const
    {
        auto options = kernel_sends ? rmpp_sender_options::linux_kernel(0, 20) : rmpp_sender_options{};
        options.retries = 20;
        options.timeout = options.longest_timeout = timeout;
        options.total = duration::zero();
        return options;
    }
    [[nodiscard]] rmpp_receiver_options receives() const
    {
        auto options = kernel_receives ? rmpp_receiver_options::linux_kernel() : rmpp_receiver_options{};
        options.total = 10h;
        return options;
    }
};

class RmppPair : public ::testing::TestWithParam<parties> {};

TEST_P(RmppPair, CarriesAnyLengthWhole)
{
    for (auto const of : {subn_adm, management_class{0x32}, management_class::device_management}) {
        auto const each = rmpp_segment_data(of);
        for (std::size_t const size :
            {std::size_t{0}, std::size_t{1}, each - 1, each, each + 1, 2 * each, 63 * each, 64 * each, 65 * each,
                65 * each + 1, 66 * each, 129 * each - 1, 129 * each, 129 * each + 1, std::size_t{1'000'000}}) {
            rmpp_pair pair{GetParam().sends(), GetParam().receives(), message_of(size, method::get_table_response, of)};
            pair.run();
            ASSERT_EQ(pair.receiver.outcome().end, rmpp_end::complete) << size;
            ASSERT_EQ(pair.sender.outcome().end, rmpp_end::complete) << size;
            expect_filling(pair.receiver.message().whole(), size, of);
            EXPECT_EQ(pair.segments, rmpp_segments(of, size)) << "nothing is sent twice";
            EXPECT_LE(pair.acks, 2 + pair.segments / (GetParam().kernel_receives ? 64 : 32));
        }
    }
}

std::string name_of_parties(::testing::TestParamInfo<parties> const& info)
{
    return std::string{info.param.kernel_sends ? "KernelTo" : "ThoroughTo"} +
           (info.param.kernel_receives ? "Kernel" : "Thorough");
}
constexpr std::array<parties, 4> all_parties{{{false, false}, {false, true}, {true, false}, {true, true}}};
INSTANTIATE_TEST_SUITE_P(Parties, RmppPair, ::testing::ValuesIn(all_parties), name_of_parties);

class RmppBadWire : public seeded {};

TEST_P(RmppBadWire, NothingIsLostAndNothingIsWrong)
{
    for (auto const& who : all_parties) {
        for (int i = 0; i != 20; ++i) {
            wire_faults const faults{
                .lost = 0.001 * static_cast<double>(pick(100)),
                .doubled = 0.001 * static_cast<double>(pick(200)),
                .delayed = 0.001 * static_cast<double>(pick(500)),
            };
            auto const size = pick(4) == 0 ? pick(1'000) : pick(60'000);
            rmpp_pair pair{who.sends(), who.receives(), message_of(size), faults, random()};
            pair.run();
            ASSERT_EQ(pair.receiver.outcome().end, rmpp_end::complete)
                << size << ": " << to_string(pair.receiver.outcome());
            ASSERT_EQ(pair.sender.outcome().end, rmpp_end::complete) << to_string(pair.sender.outcome());
            expect_filling(pair.receiver.message().whole(), size);
        }
    }
}

TEST_P(RmppBadWire, OnePercentOfLossCostsThoroughMachinesFewTimeouts)
{
    constexpr std::size_t size = 50'000 * 112; // as many NodeRecords
    rmpp_pair pair{{}, {}, message_of(size), {.lost = 0.01}, random()};
    pair.run();
    ASSERT_EQ(pair.sender.outcome().end, rmpp_end::complete);
    expect_filling(pair.receiver.message().whole(), size);
    // Of about 280 lost segments, nearly all are missed, and sent again, before the timeout.
    EXPECT_LT(pair.now - start, 3s);
    EXPECT_LT(pair.sender.repeated(), 1'000U);
}

TEST_P(RmppBadWire, AWireThatLosesAllEndsBothSides)
{
    rmpp_pair pair{{.timeout = 100ms, .retries = 3}, {}, message_of(10'000), {.lost = 1}, random()};
    pair.run();
    EXPECT_EQ(pair.sender.outcome().end, rmpp_end::unanswered);
    EXPECT_EQ(pair.now, start + 100ms + 200ms + 400ms + 800ms) << "four transmissions of one segment";
}

TEST_P(RmppBadWire, RandomPacketsHurtNeitherSide)
{
    for (int round = 0; round != 200; ++round) {
        auto const message = message_of(pick(20'000));
        auto const kernel = pick(2) != 0;
        rmpp_sender sender{kernel ? rmpp_sender_options::linux_kernel(static_cast<std::uint32_t>(pick(2) * 500), 2)
                                  : rmpp_sender_options{},
            message, start};
        auto const budget = std::make_shared<rmpp_budget>(100'000);
        {
            rmpp_receiver receiver{
                kernel ? rmpp_receiver_options::linux_kernel() : rmpp_receiver_options{}, budget, start};
            auto now = start;
            for (int i = 0; i != 300; ++i) {
                static constexpr std::array<std::uint32_t, 8> numbers{0, 1, 2, 3, 64, 65, 220, 0xFFFFFFFF};
                rmpp_header header{.version = static_cast<std::uint8_t>(pick(50) == 0 ? 2 : 1),
                    .type = static_cast<rmpp_type>(pick(20) == 0 ? pick(256) : 1 + pick(2)),
                    .response_time = static_cast<std::uint8_t>(pick(32)),
                    .flags = rmpp_flags::from_value(static_cast<std::uint8_t>(pick(8))),
                    .status = static_cast<rmpp_status>(pick(20) == 0 ? pick(256) : 0),
                    .segment = pick(2) == 0 ? numbers[pick(8)] : static_cast<std::uint32_t>(pick(80)),
                    .length_or_window = pick(2) == 0 ? numbers[pick(8)] : static_cast<std::uint32_t>(pick(300))};
                auto const mad = packet_of(header);
                rmpp_reply reply;
                (void)receiver.on_packet(mad_view{mad}, now, reply);
                (void)sender.on_packet(mad_view{mad}, now, reply);
                now += std::chrono::milliseconds{pick(100)};
                (void)receiver.expire(now, reply);
                (void)sender.expire(now, reply);
                for (int taken = 0; taken != 5 && sender.has_segment(); ++taken) {
                    mad_bytes segment;
                    sender.take_segment(segment, now);
                }
                ASSERT_LE(budget->used(), budget->limit());
                ASSERT_LE(sender.acknowledged(), sender.segments());
                ASSERT_LE(receiver.message().data_size(), 100'000U);
                if (receiver.message().readable() != 0)
                    (void)receiver.message().whole();
            }
        }
        ASSERT_EQ(budget->used(), 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RmppBadWire, ::testing::ValuesIn(testing::seeds()));

} // namespace
} // namespace madrigal::engine
