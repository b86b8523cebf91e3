// Any acknowledgements at any time to one sender, and a receiver behind a wire that the fuzzer rules.
#include "fuzz/rmpp_input.hpp"

#include <madrigal/engine/rmpp_receiver.hpp>
#include <madrigal/engine/rmpp_sender.hpp>

#include <deque>
#include <vector>

namespace madrigal::fuzz {
namespace {

using namespace engine;

std::vector<std::byte> any_message(FuzzedDataProvider& input, management_class of)
{
    auto const size = input.ConsumeBool() ? input.ConsumeIntegralInRange<std::size_t>(0, 700)
                                          : input.ConsumeIntegralInRange<std::size_t>(0, 20'000);
    std::vector<std::byte> message(class_data_offset(of) + size);
    mutable_mad_view const mad{message};
    mad.set_base_version(1);
    mad.set_mgmt_class(of);
    mad.set_method(method::get_multi);
    mad.set_transaction_id(1);
    for (std::size_t i = 0; i != size; ++i)
        message[class_data_offset(of) + i] = filling(i);
    return message;
}

rmpp_sender_options any_options(FuzzedDataProvider& input)
{
    rmpp_sender_options options;
    if (input.ConsumeBool())
        options = rmpp_sender_options::linux_kernel(input.PickValueInArray({0U, 100U, 5'000U}), 3);
    else
        options.expects_answer = input.ConsumeBool();
    options.first_window = any_number(input, 2);
    options.retries = input.ConsumeIntegralInRange(0U, 4U);
    return options;
}

void check_segment(std::array<std::byte, mad_size> const& segment, std::vector<std::byte> const& message)
{
    mad_view const mad{segment};
    auto const of = mad.mgmt_class();
    auto const size = message.size() - class_data_offset(of);
    auto const each = rmpp_segment_data(of);
    auto const header = rmpp_header_of(mad);
    auto const count = rmpp_segments(of, size);
    expect(header && header->segment >= 1 && header->segment <= count, "a segment is one of the message");
    expect(header->flags.has(rmpp_flag::first) == (header->segment == 1), "the first says so");
    expect(header->flags.has(rmpp_flag::last) == (header->segment == count), "and the last");
    expect(!rmpp_receiver::fault_of(of, *header, rmpp_manner::thorough), "nothing is wrong with it");
    for (std::size_t i = 0; i != each; ++i) {
        auto const at = (header->segment - 1) * each + i;
        expect(mad.data()[i] == (at < size ? filling(at) : std::byte{0}), "its data is the message's");
    }
}

/// Acknowledgements of anything.
void hostile_peer(FuzzedDataProvider& input)
{
    auto const of = any_rmpp_class(input);
    auto const message = any_message(input, of);
    auto now = start;
    auto const options = any_options(input);
    rmpp_sender sender{options, message, now};
    auto step = rmpp_step::nothing;
    while (input.remaining_bytes() != 0 && step != rmpp_step::over) {
        std::array<std::byte, mad_size> segment;
        for (auto most = input.ConsumeIntegralInRange(0, 70); most != 0 && sender.has_segment(); --most) {
            sender.take_segment(segment, now);
            check_segment(segment, message);
        }
        rmpp_reply reply;
        auto const before = sender.outcome().end;
        auto const acknowledged = sender.acknowledged();
        if (input.ConsumeIntegralInRange(0, 7) == 0) {
            now += any_time(input);
            step = sender.expire(now, reply);
            check_reply(reply, method::get_multi);
        } else {
            auto mad = any_packet(input, of, method::get_multi_response, acknowledged + 1);
            if (input.ConsumeBool()) {
                auto header = *rmpp_header_of(mad_view{mad});
                header.type = rmpp_type::ack;
                (void)set_rmpp_header(mutable_mad_view{mad}, header);
            }
            step = sender.on_packet(mad_view{mad}, now, reply);
            check_reply(reply, method::get_multi);
        }
        if (step != rmpp_step::over)
            expect((step == rmpp_step::ended) == (before != sender.outcome().end), "an end is told, once");
        expect(before == rmpp_end::not_yet || before == sender.outcome().end, "and is the last");
        expect(sender.acknowledged() >= acknowledged && sender.acknowledged() <= sender.segments(),
            "what is acknowledged does not become less, nor more than there is");
    }
    // Left alone, it ends: every deadline that passes brings it nearer to that.
    for (int turns = 0; step != rmpp_step::over; ++turns) {
        expect(turns < 100, "it ends");
        std::array<std::byte, mad_size> segment;
        for (int most = 300; most != 0 && sender.has_segment(); --most)
            sender.take_segment(segment, now);
        rmpp_reply reply;
        if (options.stalls && sender.next_deadline() == never)
            break; // as kernels do
        expect(sender.next_deadline() != never, "there is something that ends it");
        now = std::max(now, sender.next_deadline());
        step = sender.expire(now, reply);
    }
}

/// A wire that loses, doubles and reorders as the input says, between two honest machines.
void honest_peer(FuzzedDataProvider& input)
{
    auto const of = any_rmpp_class(input);
    auto const message = any_message(input, of);
    auto now = start;
    auto sends = any_options(input);
    sends.retries = 100;
    sends.stalls = false; // as a kernel that does has no way to the end
    sends.first_window = 1;
    sends.total = duration::zero();
    auto receives = input.ConsumeBool() ? rmpp_receiver_options::linux_kernel() : rmpp_receiver_options{};
    receives.total = std::chrono::hours{100};
    receives.idle = duration::zero();
    receives.window = input.ConsumeIntegralInRange(1U, 64U);
    rmpp_sender sender{sends, message, now};
    rmpp_receiver receiver{receives, std::make_shared<rmpp_budget>(std::size_t{1} << 20), now};
    std::deque<std::array<std::byte, mad_size>> there;
    std::deque<std::array<std::byte, mad_size>> back;
    auto const carry = [&](auto& wire, auto&& deliver) {
        while (!wire.empty()) {
            // Without input left the wire is a good one.
            auto const fate = input.ConsumeIntegral<std::uint8_t>();
            auto const at = fate % 16 == 1 ? wire.size() - 1 : 0;
            auto const mad = wire[at];
            if (fate % 16 != 3)
                wire.erase(wire.begin() + static_cast<std::ptrdiff_t>(at));
            rmpp_reply reply;
            if (fate % 16 != 2)
                deliver(mad, reply);
        }
    };
    for (int turns = 0; sender.outcome().end == rmpp_end::not_yet; ++turns) {
        expect(turns < 20'000, "a transfer between honest machines ends");
        while (sender.has_segment())
            sender.take_segment(there.emplace_back(), now);
        carry(there, [&](auto const& mad, rmpp_reply& reply) {
            (void)receiver.on_packet(mad_view{mad}, now, reply);
            check_reply(reply, method::get_multi_response);
            if (!reply.empty())
                back.push_back(reply.mad());
        });
        carry(back, [&](auto const& mad, rmpp_reply& reply) { (void)sender.on_packet(mad_view{mad}, now, reply); });
        if (sender.has_segment() || sender.outcome().end != rmpp_end::not_yet)
            continue;
        rmpp_reply reply;
        now = std::max(now, sender.next_deadline());
        (void)sender.expire(now, reply);
    }
    if (sender.outcome().end == rmpp_end::complete) {
        expect(receiver.outcome().end == rmpp_end::complete, "both know of it");
        auto const whole = receiver.message().whole();
        expect(whole.size() == message.size(), "the length is right");
        for (auto at = class_data_offset(of); at != whole.size(); ++at)
            expect(whole[at] == message[at], "and so is every byte");
    } else {
        expect(sender.outcome().end == rmpp_end::unanswered, "only a wire that loses all ends it otherwise");
    }
}

} // namespace
} // namespace madrigal::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    FuzzedDataProvider input{data, size};
    if (input.ConsumeBool())
        madrigal::fuzz::hostile_peer(input);
    else
        madrigal::fuzz::honest_peer(input);
    return 0;
}
