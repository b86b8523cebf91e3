#include <madrigal/subnet/detail/sa_exchange.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace madrigal::detail {

namespace asio = boost::asio;

namespace {

/// Records after which others on the loop get their turn.
constexpr std::size_t records_a_turn = 1024;
/// Bytes of a table that is sent as it comes that are handed over at a time.
constexpr std::size_t bytes_a_time = std::size_t{8} * 1024;

} // namespace

sa_exchange::sa_exchange(request of, bool trusted, table_limits const& limits)
    : asked{std::move(of)}, address_{asked.received().address()}, limits_{limits}, trusted_{trusted}
{
    std::copy_n(asked.received().bytes().begin(), headers_.size(), headers_.begin());
}

std::span<std::byte> sa_exchange::place(std::size_t record_size)
{
    if (over_)
        return {};
    if (mad().method() != method::get_table) {
        // The second one of a search is one too many; to Set and Delete there is one answer, the last.
        bool const one_too_many = mad().method() == method::get && count_ == 1;
        count_ = one_too_many ? 2 : 1;
        over_ = one_too_many;
        one_size_ = over_ ? 0 : record_size;
        return std::span{one_}.first(one_size_);
    }
    stride_ = sa_record_stride(record_size);
    room_ = table_.append(stride_, limits_.longest, limits_.budget);
    if (room_ != table_buffer::room::yes) {
        over_ = true;
        return {};
    }
    ++count_;
    return table_.last(stride_);
}

asio::awaitable<bool> sa_exchange::go_on()
{
    // A table begins with a record: its length stands in front.
    bool const enough = mad().method() == method::get_table && count_ != 0 &&
                        table_.bytes().size() >= (stream_ ? bytes_a_time : limits_.stream_at);
    if (!over_ && enough && (stream_ || limits_.begin_stream(*this)))
        co_await flush();
    if (!over_ && ++offered_ % records_a_turn == 0)
        co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    co_return !over_;
}

asio::awaitable<void> sa_exchange::flush()
{
    auto rest = table_.bytes();
    while (!over_) {
        rest = rest.subspan(stream_->append(rest));
        if (rest.empty())
            break;
        asio::steady_timer bell{co_await asio::this_coro::executor, asio::steady_timer::time_point::max()};
        struct at_the_end {
            sa_exchange& of;
            ~at_the_end()
            {
                of.bell_ = nullptr;
                of.stream_->on_room({});
            }
        } const quiet{*this};
        bell_ = &bell;
        stream_->on_room([&bell] { bell.cancel(); });
        boost::system::error_code woken;
        co_await bell.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none)
            over_ = true;
    }
    table_.clear();
}

void sa_exchange::end() noexcept
{
    over_ = true;
    if (bell_ != nullptr)
        bell_->cancel();
}

std::uint16_t sa_exchange::status_of_records() const noexcept
{
    switch (room_) {
    case table_buffer::room::yes: break;
    case table_buffer::room::too_long: return mad_status::sa_no_resources;
    case table_buffer::room::no_bytes: return mad_status::busy;
    }
    if (mad().method() != method::get || count_ == 1)
        return mad_status::ok;
    return count_ == 0 ? mad_status::sa_no_records : mad_status::sa_too_many_records;
}

} // namespace madrigal::detail
