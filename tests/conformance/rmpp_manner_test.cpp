// The engine's RMPP in the kernel's manner says, packet by packet, what a kernel says.
#include "conformance/rmpp_packets.hpp"

#include <madrigal/engine/rmpp_receiver.hpp>
#include <madrigal/engine/rmpp_sender.hpp>

#include <string>

namespace madrigal::conformance {
namespace {

constexpr std::uint16_t illegal = 9;

std::string said(mad_view mad)
{
    auto const header = rmpp_header_of(mad);
    return to_string(mad.method()) + ": " + describe_rmpp(mad) +
           (header && header->response_time != 0 ? ", RRespTime " + std::to_string(header->response_time) : "");
}

class RmppManner : public Conformance {
protected:
    void SetUp() override
    {
        by_hand_ = sa_agent(by_hand, true);
        by_kernel_ = sa_agent(by_kernel, false, {0x12, 0x14});
    }

    /// The agent that the test drives writes a packet of the transfer.
    void write(mad_view headers, method how, rmpp_header header, std::size_t first_byte = 0)
    {
        packet one;
        one.header = to_itself(on, by_hand_, 0);
        std::copy_n(headers.bytes().begin(), mad_header_size, one.bytes.begin());
        std::fill(one.bytes.begin() + mad_header_size, one.bytes.end(), std::byte{0});
        one.mad().set_method(how);
        header.version = header.version == 0 ? rmpp_version : header.version;
        header.flags.set(rmpp_flag::active);
        ASSERT_TRUE(set_rmpp_header(one.mad(), header));
        if (header.type == rmpp_type::data)
            for (std::size_t i = 0; i != sa_segment_data; ++i)
                one.bytes[sa_data_offset + i] = sa_filling(first_byte + i);
        written = one;
        ASSERT_EQ(by_hand.write(one), 0);
    }
    /// What the kernel says next.
    std::string heard(milliseconds within = 10s)
    {
        auto const got = by_hand.read(within);
        return got ? said(got->mad()) : "nothing";
    }

    /// A question of segments to the kernel; what it answers each is compared with the engine's receiver, and so is the
    /// message where it is complete.
    void ask(std::vector<rmpp_header> const& segments)
    {
        auto const headers = sa_question(on, by_hand_, ++number_);
        auto const budget = std::make_shared<engine::rmpp_budget>(std::size_t{1} << 20);
        engine::rmpp_receiver receiver{engine::rmpp_receiver_options::linux_kernel(), budget, on.now()};
        std::size_t step = 0;
        for (auto header : segments) {
            SCOPED_TRACE("segment " + std::to_string(++step) + " of the script");
            header.type = header.type == rmpp_type{} ? rmpp_type::data : header.type;
            ASSERT_NO_FATAL_FAILURE(write(headers.mad(), method::get_multi, header,
                header.segment == 0 ? 0 : (header.segment - 1) * sa_segment_data));
            engine::rmpp_reply reply;
            (void)receiver.on_packet(written.mad(), on.now(), reply);
            if (!reply.empty()) {
                ASSERT_EQ(heard(), said(mad_view{reply.mad()}));
            }
        }
        EXPECT_TRUE(by_hand.silent(50ms)) << heard();
        bool const complete = receiver.outcome().end == engine::rmpp_end::complete;
        ASSERT_EQ(!by_kernel.silent(complete ? 10s : 50ms), complete);
        if (!complete)
            return;
        auto const got = by_kernel.read();
        ASSERT_TRUE(got);
        ASSERT_EQ(got->bytes.size(), sa_data_offset + receiver.message().data_size());
        auto const whole = receiver.message().whole();
        EXPECT_TRUE(std::equal(whole.begin() + sa_data_offset, whole.end(),
            got->bytes.begin() + static_cast<std::ptrdiff_t>(sa_data_offset)));
    }

    /// An answer by the kernel; each of these headers is acknowledged to it once it has nothing more to send, and what
    /// it sends then is compared with the engine's sender. A header of type 0 lets the time of a resend pass.
    void answer(std::size_t size, std::vector<rmpp_header> const& acknowledgements)
    {
        ASSERT_EQ(by_hand.write(sa_question(on, by_hand_, ++number_)), 0);
        auto const asked = by_kernel.read();
        ASSERT_TRUE(asked);
        auto answer = answer_to(*asked, by_kernel_);
        answer.bytes = sa_message(asked->mad(), method::get_table_response, size);
        answer.header.retries = 1;
        engine::rmpp_sender sender{engine::rmpp_sender_options::linux_kernel(0, 1), answer.bytes, start_};
        ASSERT_EQ(by_kernel.write(answer), 0);
        auto now = start_;
        auto const compare = [&](engine::rmpp_reply const& reply) {
            if (!reply.empty()) {
                ASSERT_EQ(heard(), said(mad_view{reply.mad()}));
            }
            while (sender.has_segment()) {
                std::array<std::byte, mad_size> segment;
                sender.take_segment(segment, now);
                auto const got = by_hand.read(10s);
                ASSERT_TRUE(got) << said(mad_view{segment});
                ASSERT_EQ(said(got->mad()), said(mad_view{segment}));
                ASSERT_TRUE(std::equal(segment.begin() + mad_header_size, segment.end(),
                    got->bytes.begin() + static_cast<std::ptrdiff_t>(mad_header_size)));
            }
        };
        engine::rmpp_reply reply;
        ASSERT_NO_FATAL_FAILURE(compare(reply));
        std::size_t step = 0;
        for (auto header : acknowledgements) {
            SCOPED_TRACE("acknowledgement " + std::to_string(++step) + " of the script");
            reply.clear();
            if (header.type == rmpp_type{}) {
                now = std::max(now, sender.next_deadline());
                (void)sender.expire(now, reply);
            } else {
                EXPECT_TRUE(by_hand.silent(50ms)) << heard();
                ASSERT_NO_FATAL_FAILURE(write(asked->mad(), method::get_table, header));
                (void)sender.on_packet(written.mad(), now, reply);
            }
            ASSERT_NO_FATAL_FAILURE(compare(reply));
        }
        EXPECT_TRUE(by_hand.silent(50ms)) << heard();
    }

    static rmpp_header data(std::uint32_t segment, std::uint32_t length = 0, rmpp_flags flags = {})
    {
        if (segment == 1)
            flags.set(rmpp_flag::first);
        return {.type = rmpp_type::data, .flags = flags, .segment = segment, .length_or_window = length};
    }
    static rmpp_header last(std::uint32_t segment, std::uint32_t length)
    {
        return data(segment, length, rmpp_flag::last);
    }
    static rmpp_header ack(std::uint32_t segment, std::uint32_t window)
    {
        return {.type = rmpp_type::ack, .segment = segment, .length_or_window = window};
    }

    raw_file by_hand{on};
    raw_file by_kernel{on};
    packet written;

private:
    static constexpr time_point start_ = time_point{1h};
    std::uint32_t number_ = 0;
    std::uint32_t by_hand_ = 0;
    std::uint32_t by_kernel_ = 0;
};

TEST_F(RmppManner, AcknowledgesWindowsDuplicatesAndGapsAsAKernel)
{
    ask({data(1), data(2), data(3), data(2), data(1), data(5), data(5), data(66), data(4), last(6, 120), last(6, 120),
        data(1), data(77)});
    std::vector<rmpp_header> whole;
    for (std::uint32_t segment = 1; segment != 140; ++segment)
        whole.push_back(data(segment));
    whole.push_back(last(140, 21));
    ask(whole);
    auto backwards = whole;
    std::reverse(backwards.begin() + 1, backwards.begin() + 65);
    std::reverse(backwards.begin() + 65, backwards.begin() + 129);
    ask(backwards);
}

TEST_F(RmppManner, TakesLengthsAsAKernel)
{
    for (std::uint32_t const length : {20U, 21U, 219U, 220U, 221U, 0xFFFFFFFFU, 19U, 0U}) {
        SCOPED_TRACE(length);
        ask({data(1, 12'345), last(2, length)});
        ask({last(1, std::max(20U, length))});
    }
    ask({data(1), last(4, 21), last(5, 220), data(2), data(3)});
}

TEST_F(RmppManner, AbortsWhatAKernelAborts)
{
    ask({{.segment = 1}});
    ask({data(1), data(3, 0, rmpp_flag::first), data(2), last(3, 100)});
    ask({{.flags = rmpp_flag::first, .status = rmpp_status{illegal}, .segment = 1}});
    ask({data(1), {.status = rmpp_status::unspecified, .segment = 2}, last(2, 100)});
    ask({data(1), data(0), last(2, 100)});
    ask({data(1), {.type = rmpp_type::abort, .status = rmpp_status::unspecified}, last(2, 100)});
    auto slow = data(1);
    slow.response_time = 17;
    ask({slow, last(2, 100)});
}

TEST_F(RmppManner, SendsWindowsAsAKernel)
{
    answer(1'990, {ack(1, 3), ack(2, 3), ack(3, 20), ack(10, 20)});
    answer(150, {ack(1, 1)});
    answer(20'000, {ack(1, 65), ack(65, 129), ack(100, 129)}); // and aborted, so that it does not go on
}

TEST_F(RmppManner, SendsAgainAsAKernel)
{
    answer(1'990, {ack(1, 3), {}, ack(3, 5), {}, ack(5, 20), ack(10, 20)});
    answer(1'990, {ack(1, 2), ack(2, 2), {}, ack(3, 20)}); // its window is overrun, and then it complains
}

TEST_F(RmppManner, EndsWhatAKernelEnds)
{
    answer(1'990, {ack(1, 3), ack(5, 6)});
    answer(1'990, {ack(1, 3), ack(2, 1)});
    answer(1'990, {ack(1, 3), ack(1, 1), ack(0, 3), ack(3, 4), ack(11, 12)});
    answer(1'990, {{.type = rmpp_type::ack, .status = rmpp_status{illegal}, .segment = 1, .length_or_window = 5}});
    answer(1'990, {ack(1, 3), {.type = rmpp_type::stop, .status = rmpp_status::resources_exhausted}});
    answer(1'990, {ack(1, 3), {.type = rmpp_type::stop, .status = rmpp_status{illegal}}});
    answer(1'990, {ack(1, 3), {.type = rmpp_type::abort, .status = rmpp_status::unspecified}});
    answer(1'990, {ack(1, 3), {.type = rmpp_type::abort, .status = rmpp_status{illegal}}});
    answer(1'990, {ack(1, 3), {.type = rmpp_type{illegal}}});
    answer(1'990, {ack(1, 3), {.version = 2, .type = rmpp_type::ack, .segment = 3, .length_or_window = 9}});
}

} // namespace
} // namespace madrigal::conformance
