// One question on its way through a server of subnet administration, and its answer as it is put together.
#pragma once

#include <madrigal/runtime/request.hpp>
#include <madrigal/subnet/detail/sa_table.hpp>
#include <madrigal/wire/sa.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace madrigal::detail {

class sa_exchange;

/// What all tables of a server share.
struct table_limits {
    std::shared_ptr<engine::rmpp_budget> budget;
    std::size_t longest;
    /// A table of so many bytes begins to be sent before it ends, where `begin_stream` finds room for that.
    std::size_t stream_at;
    std::function<bool(sa_exchange&)> begin_stream;
};

/// A question and its answer. What may be read of the question stays when the answer has gone. Belongs to the loop.
class sa_exchange {
public:
    sa_exchange(request asked, bool trusted, table_limits const& limits);
    sa_exchange(sa_exchange const&) = delete;
    sa_exchange& operator=(sa_exchange const&) = delete;
    ~sa_exchange() = default;

    [[nodiscard]] umad::ib_user_mad_hdr const& address() const noexcept { return address_; }
    /// The question's headers, 56 bytes.
    [[nodiscard]] std::span<std::byte const> headers() const noexcept { return headers_; }
    [[nodiscard]] mad_view mad() const noexcept { return mad_view{headers_}; }
    [[nodiscard]] bool trusted() const noexcept { return trusted_; }
    /// What is asked; nothing where the record is cut off. For the time before the answer.
    template <wire_layout T>
    [[nodiscard]] std::optional<record_query<T>> query() const noexcept
    {
        return sa_view::from(asked.received().bytes())->template query<T>();
    }

    /// A place for a record of so many bytes; empty where no more are wanted.
    [[nodiscard]] std::span<std::byte> place(std::size_t record_size);
    /// More records are wanted.
    [[nodiscard]] bool wants_more() const noexcept { return !over_; }
    /// Goes on with more records at the right moment; with what `wants_more` says then. For coroutines.
    [[nodiscard]] boost::asio::awaitable<bool> go_on();
    /// What is left of a table that is sent as it comes has a place in its window, or no more is wanted.
    [[nodiscard]] boost::asio::awaitable<void> flush();
    /// No more are wanted: the question has been answered otherwise.
    void end() noexcept;

    // The answer, for the server.
    /// The status that the records make of a good one.
    [[nodiscard]] std::uint16_t status_of_records() const noexcept;
    [[nodiscard]] std::size_t records() const noexcept { return count_; }
    /// The record of an answer that is no table; empty where there is none.
    [[nodiscard]] std::span<std::byte const> one() const noexcept { return std::span{one_}.first(one_size_); }
    [[nodiscard]] table_buffer& table() noexcept { return table_; }
    /// From now on the table is sent as it comes.
    void stream_by(reply_stream stream) { stream_ = std::move(stream); }
    /// Whether it is, and by what.
    [[nodiscard]] std::optional<reply_stream> const& stream() const noexcept { return stream_; }
    /// Bytes from one record of the table to the next; 0 where there is none.
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }

    request asked;

private:
    umad::ib_user_mad_hdr address_;
    std::array<std::byte, sa_data_offset> headers_;
    table_limits const& limits_;
    table_buffer table_; // of a table that is sent as it comes, what is next
    std::optional<reply_stream> stream_;
    boost::asio::steady_timer* bell_ = nullptr; // of `flush` while it waits
    std::array<std::byte, sa_data_size> one_;
    std::size_t one_size_ = 0;
    std::size_t count_ = 0;
    std::size_t stride_ = 0;
    std::size_t offered_ = 0;
    table_buffer::room room_ = table_buffer::room::yes;
    bool trusted_;
    bool over_ = false;
};

/// What answers a question: one of the two.
struct sa_responder {
    std::function<std::uint16_t(sa_exchange&)> at_once;
    std::function<boost::asio::awaitable<std::uint16_t>(sa_exchange&)> in_time;
};

} // namespace madrigal::detail
