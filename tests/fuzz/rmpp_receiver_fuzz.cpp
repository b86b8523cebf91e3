// Any packets at any time: to one receiver, and to a table of transfers with little room.
#include "fuzz/rmpp_input.hpp"

#include <madrigal/engine/rmpp_transfers.hpp>

#include <vector>

namespace madrigal::fuzz {
namespace {

using namespace engine;

constexpr std::size_t budget_bytes = 12 * rmpp_message::chunk_cost;

rmpp_receiver_options any_options(FuzzedDataProvider& input)
{
    auto options = input.ConsumeBool() ? rmpp_receiver_options::linux_kernel()
                                       : rmpp_receiver_options{.idle = std::chrono::seconds{15}};
    options.window = input.ConsumeIntegralInRange(0U, 70U);
    options.max_message = input.PickValueInArray<std::size_t>({0, 199, 4'096, 20'000, 1 << 20});
    return options;
}

/// What can be read is what was sent, in order and without a gap.
void read_some(FuzzedDataProvider& input, rmpp_message& message, bool honest)
{
    auto at = message.consumed();
    std::vector<std::byte> data(message.readable());
    expect(message.copy(data) == data.size(), "all that is readable can be copied");
    for (auto const byte : data)
        expect(!honest || byte == filling(at++), "data is in its place");
    auto const front = message.front();
    expect(front.empty() == data.empty() && front.size() <= data.size(), "the front is part of it");
    message.consume(input.ConsumeIntegralInRange<std::size_t>(0, data.size()));
}

void one_receiver(FuzzedDataProvider& input)
{
    auto const of = any_rmpp_class(input);
    auto const budget = std::make_shared<rmpp_budget>(budget_bytes);
    auto now = start;
    {
        rmpp_receiver receiver{any_options(input), budget, now};
        while (input.remaining_bytes() != 0) {
            rmpp_reply reply;
            if (input.ConsumeIntegralInRange(0, 15) == 0) {
                now += any_time(input);
                if (receiver.expire(now, reply) == rmpp_step::over)
                    break;
                expect(receiver.next_deadline() > now || receiver.outcome().end != rmpp_end::not_yet, "time is up");
            } else {
                auto const mad = any_packet(input, of, method::get_table_response, receiver.segments() + 1);
                auto const before = receiver.outcome().end;
                auto const step = receiver.on_packet(mad_view{mad}, now, reply);
                expect((step == rmpp_step::ended) == (before != receiver.outcome().end), "an end is told, once");
                expect(before == rmpp_end::not_yet || before == receiver.outcome().end, "and is the last");
            }
            check_reply(reply, method::get_table);
            expect(budget->used() <= budget->limit(), "the budget holds");
            if (input.ConsumeBool())
                read_some(input, receiver.message(), true);
        }
    }
    expect(budget->used() == 0, "all is given back");
}

void one_table(FuzzedDataProvider& input)
{
    rmpp_transfers_options options{.receiving = any_options(input),
        .max_answers = 3,
        .max_questions = 3,
        .max_questions_per_peer = 2,
        .max_question = 10'000,
        .max_lingering = input.ConsumeIntegralInRange<std::size_t>(0, 4),
        .max_outgoing = 3,
        .max_bytes = budget_bytes,
        .announce_data = input.ConsumeBool()};
    auto const of = any_rmpp_class(input);
    auto now = start;
    auto const budget = std::make_shared<rmpp_budget>(budget_bytes);
    std::vector<std::byte> const message = [&] {
        auto const first = any_packet(input, of, method::get_multi, 1);
        std::vector<std::byte> bytes(first.begin(), first.end());
        bytes.resize(input.ConsumeIntegralInRange<std::size_t>(class_data_offset(of), 3'000));
        return bytes;
    }();
    {
        rmpp_transfers table{options, budget};
        rmpp_key known;
        while (input.remaining_bytes() != 0) {
            umad::ib_user_mad_hdr peer{};
            peer.qpn.set(1);
            peer.lid.set(input.ConsumeIntegralInRange<std::uint16_t>(1, 4));
            auto const how = input.PickValueInArray({method::get_multi, method::get_multi_response});
            switch (input.ConsumeIntegralInRange(0, 15)) {
            case 0:
                now += any_time(input);
                table.expire(now, input.ConsumeIntegralInRange<std::size_t>(1, 10));
                break;
            case 1: {
                rmpp_outgoing outgoing{.to = peer, .message = message};
                outgoing.options.expects_answer = input.ConsumeBool();
                (void)table.start(outgoing, now);
                break;
            }
            case 2: table.cancel(known, now); break;
            case 3:
                if (auto* arriving = table.arriving(known))
                    read_some(input, *arriving, true);
                break;
            default: {
                auto mad = any_packet(input, of, how, input.ConsumeIntegralInRange<std::uint32_t>(1, 80));
                mutable_mad_view{mad}.set_transaction_id(input.ConsumeIntegralInRange<std::uint64_t>(1, 3));
                auto const size = input.ConsumeIntegralInRange(0, 63) == 0
                                      ? input.ConsumeIntegralInRange<std::size_t>(mad_header_size, mad_size)
                                      : mad_size;
                known = rmpp_key::of(peer, mad_view{mad}, how, rmpp_direction::incoming);
                (void)table.on_packet(peer, mad_view{std::span{mad}.first(size)}, now, input.ConsumeBool());
            }
            }
            rmpp_packet packet;
            for (auto most = input.ConsumeIntegralInRange(0, 8); most != 0 && table.next_packet(packet, now); --most)
                expect(is_active_rmpp(mad_view{packet.mad}), "only packets of transfers are written");
            while (input.ConsumeBool()) {
                auto event = table.next_event();
                if (!event)
                    break;
                if (event->what == rmpp_event::kind::received)
                    read_some(input, event->message, false);
            }
            expect(table.incoming() <= options.max_answers + options.max_questions, "places are limited");
            expect(table.lingering() <= options.max_lingering, "those of ended transfers too");
            expect(table.outgoing() <= options.max_outgoing, "and outgoing ones");
            expect(budget->used() <= budget->limit(), "the budget of all holds");
        }
        // Left alone, it comes to rest.
        rmpp_packet packet;
        for (int turns = 0; table.next_deadline() != never || table.next_packet(packet, now); ++turns) {
            expect(turns < 10'000, "it comes to rest");
            now = std::max(now, table.next_deadline() == never ? now : table.next_deadline());
            table.expire(now);
            while (table.next_packet(packet, now)) {
            }
            while (table.next_event()) {
            }
        }
        expect(table.incoming() == 0 && table.lingering() == 0 && table.outgoing() == 0, "and forgets all");
    }
    expect(budget->used() == 0, "and gives all back");
}

} // namespace
} // namespace madrigal::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    FuzzedDataProvider input{data, size};
    if (input.ConsumeBool())
        madrigal::fuzz::one_receiver(input);
    else
        madrigal::fuzz::one_table(input);
    return 0;
}
