// An unsolicited MAD in the hands of the server that may answer it.
#pragma once

#include <madrigal/runtime/as_result.hpp>
#include <madrigal/runtime/detail/agent_core.hpp>
#include <madrigal/runtime/received_mad.hpp>
#include <madrigal/runtime/reply_stream.hpp>
#include <madrigal/wire/mad.hpp>

#include <boost/asio/async_result.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace madrigal {

/// The part of a MAD behind its class's headers, to be read and written in place.
class mad_payload {
public:
    explicit mad_payload(std::span<std::byte> bytes) noexcept : bytes_{bytes} {}

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
    /// Copies as much of it as fits and zeroes the rest.
    void copy_from(std::span<std::byte const> data) const noexcept;
    /// The same for the bytes of a text.
    void copy_from(std::string_view text) const noexcept { copy_from(std::as_bytes(std::span{text})); }

private:
    std::span<std::byte> bytes_;
};

/// A request, trap or report that an agent serves. Answered at most once, by `reply`; one that is destroyed unanswered
/// is simply not answered. Move-only; belongs to one thread at a time, whichever.
class request {
public:
    request() noexcept = default;
    request(std::shared_ptr<detail::agent_core> agent, engine::packet_ptr packet) noexcept;

    /// Header of the request. This and all other observers are for the time before `reply`.
    [[nodiscard]] mad_view mad() const noexcept { return mad_view{received_.bytes()}; }
    [[nodiscard]] madrigal::method method() const noexcept { return mad().method(); }
    /// The whole MAD as received, and where it came from.
    [[nodiscard]] received_mad const& received() const noexcept { return received_; }
    [[nodiscard]] lid source() const noexcept { return received_.source(); }

    /// What the answer will carry behind its class's headers if it is one MAD; what was received, until it is written
    /// over.
    [[nodiscard]] mad_payload payload() noexcept;
    /// The attribute asked for or set; nothing where the MAD is too short for it.
    template <class Attribute>
    [[nodiscard]] std::optional<Attribute> attribute() const noexcept
    {
        return mad().attribute<Attribute>();
    }
    /// Makes the answer carry this attribute.
    template <class Attribute>
    void set_attribute(Attribute const& value) noexcept
    {
        (void)answer().set_attribute(value);
    }

    /// Sends the answer to where the request came from: with a GRH if it came with one, on the same P_Key, with the
    /// method that answers its own (GetResp, ReportResp, TrapRepress …) and the status given (host byte order). What
    /// has come by RMPP is answered by RMPP. Not for a default-constructed or moved-from object.
    ///
    /// @par Completion signature
    /// `void(error_code)`; without a token it is for `co_await` and gives a `result<void>`.
    /// @par Completion condition
    /// The kernel has taken the answer, or not. Whether it arrives nobody is told. Never before this function has
    /// returned.
    /// @par Errors
    /// errc::already_replied, errc::device_gone, errc::agent_closed, and the kernel's errno for a refused write.
    /// @par Cancellation
    /// None: it never waits for long, save on Ethernet for GIDs to be resolved.
    /// @par Thread safety
    /// Any thread, as long as it is the only one with this object.
    template <asio::completion_token_for<void(error_code)> Token = as_result_t<>>
    auto reply(std::uint16_t status = mad_status::ok, Token&& token = Token{})
    {
        errc refused = errc::already_replied;
        auto packet = take_reply(status, refused);
        return send(std::move(packet), refused, std::forward<Token>(token));
    }
    /// The headers that the answer will have, those of the request until they are written over: AttributeOffset of a
    /// table is set here. Method, status and RMPP header are the reply's to set.
    [[nodiscard]] mutable_mad_view answer() noexcept;

    /// The same as `reply` with this data behind the headers, of any length. It goes by RMPP if it does not fit into a
    /// MAD, if the request came by RMPP, or if its method is GetTable, GetTraceTable or GetMulti.
    ///
    /// @par Completion signature
    /// As `reply`.
    /// @par Completion condition
    /// Of what goes by RMPP: where the kernel does it, it has taken the message, or not; where the agent does it, the
    /// peer has acknowledged all of it, or the transfer has ended otherwise. The data is copied by this call.
    /// @par Errors
    /// As `reply`; errc::invalid_argument where the data needs RMPP and the agent or the class has none;
    /// (the request has been answered then as far as `reply` is concerned);
    /// errc::queue_full where too many messages are on their way (`agent_options::rmpp`); errc::already_replied also
    /// where an answer to the same request, asked again, is still on its way; and how the transfer ended:
    /// errc::timeout, or one of `engine::rmpp_category`.
    /// @par Cancellation
    /// None.
    /// @par Thread safety
    /// As `reply`.
    template <asio::completion_token_for<void(error_code)> Token = as_result_t<>>
    auto reply_with(std::span<std::byte const> data, std::uint16_t status = mad_status::ok, Token&& token = Token{})
    {
        errc refused = errc::already_replied;
        auto packet = take_reply(data, status, refused);
        return send(std::move(packet), refused, std::forward<Token>(token));
    }

    /// The same as `reply_with` with data that is still being made, by an agent that does RMPP itself: it is sent as it
    /// comes, and no more than the stream's window of it is held. Its length is unknown to the peer until it ends.
    ///
    ///     reply_stream table;
    ///     asked.reply_by(table, mad_status::ok, [&](error_code why) { … }); // at its end
    ///     table.append(first_records);
    ///     …
    ///     table.finish();
    ///
    /// @par Completion signature, cancellation, thread safety
    /// As `reply`.
    /// @par Completion condition
    /// The stream is finished and the peer has acknowledged all of it, or the transfer has ended otherwise.
    /// @par Errors
    /// As `reply_with`; operation_aborted after `reply_stream::abort`; errc::invalid_argument also for an agent that
    /// does not do RMPP itself, a window of less than three segments, or a stream that is another reply's.
    template <asio::completion_token_for<void(error_code)> Token = as_result_t<>>
    auto reply_by(reply_stream const& data, std::uint16_t status = mad_status::ok, Token&& token = Token{})
    {
        errc refused = errc::already_replied;
        auto packet = take_reply(data, status, refused);
        return send(std::move(packet), refused, std::forward<Token>(token));
    }
    [[nodiscard]] bool replied() const noexcept { return replied_; }

private:
    /// The answer's packet, method and status set; empty the second time.
    [[nodiscard]] engine::packet_ptr make_reply(std::uint16_t status);
    /// The same to be sent, alone or with data; where it is empty `refused` says why.
    [[nodiscard]] engine::packet_ptr take_reply(std::uint16_t status, errc& refused);
    [[nodiscard]] engine::packet_ptr take_reply(std::span<std::byte const> data, std::uint16_t status, errc& refused);
    [[nodiscard]] engine::packet_ptr take_reply(reply_stream const& data, std::uint16_t status, errc& refused);
    [[nodiscard]] engine::packet_ptr as_one_mad(engine::packet_ptr packet) const noexcept;

    template <class Token>
    auto send(engine::packet_ptr packet, errc refused, Token&& token)
    {
        return asio::async_initiate<Token, void(error_code)>(
            [agent = agent_, refused]<class Handler>(Handler&& handler, engine::packet_ptr answer) {
                detail::operation caller{detail::completion<std::decay_t<Handler>>{
                    std::forward<Handler>(handler), agent->reactor().executor()}};
                if (answer)
                    agent->send(std::move(answer), std::move(caller));
                else
                    agent->complete_later(std::move(caller), refused);
            },
            token, std::move(packet));
    }

    std::shared_ptr<detail::agent_core> agent_;
    received_mad received_;
    bool replied_ = false;
};

} // namespace madrigal
