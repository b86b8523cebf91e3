// A server of subnet administration on the loop: its handlers, what is in work, and what is sent.
#pragma once

#include <madrigal/engine/rate_limit.hpp>
#include <madrigal/engine/rmpp_key.hpp>
#include <madrigal/runtime/port.hpp>
#include <madrigal/subnet/detail/sa_exchange.hpp>
#include <madrigal/subnet/sa_server_options.hpp>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <unordered_map>

namespace madrigal::detail {

namespace asio = boost::asio;

/// One server. Belongs to the loop.
class sa_server_core : public std::enable_shared_from_this<sa_server_core> {
public:
    sa_server_core(port on, agent over, sa_server_options const& options);
    sa_server_core(sa_server_core const&) = delete;
    sa_server_core& operator=(sa_server_core const&) = delete;
    ~sa_server_core() = default;

    void put(std::uint16_t attribute_id, method how, sa_responder handler);
    [[nodiscard]] static asio::awaitable<error_code> run(std::shared_ptr<sa_server_core> self);
    void close();
    void pause();
    void resume() noexcept { paused_ = false; }
    [[nodiscard]] bool is_paused() const noexcept { return paused_; }

    [[nodiscard]] sa_server_counters counters() const noexcept;
    [[nodiscard]] sa_server_gauges gauges() const noexcept;
    [[nodiscard]] agent const& over() const noexcept { return over_; }

private:
    using handler_ptr = std::shared_ptr<sa_responder const>;
    struct table_on_its_way;
    /// A question in the hands of a coroutine.
    struct work : sa_exchange {
        work(handler_ptr by, request of, bool trusted, table_limits const& limits, engine::rmpp_key const& as,
            std::uint64_t as_number)
            : sa_exchange{std::move(of), trusted, limits}, handler{std::move(by)}, key{as}, number{as_number}
        {}

        handler_ptr handler; // which the coroutine refers to
        asio::cancellation_signal cancel;
        engine::rmpp_key key;
        std::uint64_t number;
        std::shared_ptr<table_on_its_way> sent; // of a table that is sent as it comes
        bool given_up = false;                  // the server has closed, or has been paused
    };
    /// A question in work: in a coroutine's hands, or its table is on its way.
    struct place {
        std::uint64_t number = 0;
        std::shared_ptr<work> by{};
    };
    struct receiver;
    struct sent_one;
    struct sent_table;

    // What comes in.
    void receive_next();
    void stop_receiving(error_code why);
    void take(request asked);
    [[nodiscard]] handler_ptr find(mad_view mad) const;
    /// The status with which a question is refused before any handler sees it; ok for none.
    [[nodiscard]] std::uint16_t verdict(sa_view const& asked, sa_responder const* handler) const;
    /// It shows a wrong SM_Key.
    [[nodiscard]] bool is_forged(sa_view const& asked, lid from);
    void answer_at_once(handler_ptr const& handler, request asked, bool trusted, engine::rmpp_key const& key);
    void begin(handler_ptr handler, request asked, bool trusted, engine::rmpp_key const& key);
    void ended(work& one, std::exception_ptr const& thrown, std::uint16_t status);
    std::uint16_t on_thrown(std::exception_ptr const& thrown, mad_view asked);
    /// Gives up what coroutines have in hand; it is answered BUSY, or never.
    void stop_work(bool answered);
    /// As many are in work as may be, of all or of this LID.
    [[nodiscard]] bool is_full(std::uint16_t from) const noexcept;
    void enter(engine::rmpp_key const& key, place in);
    void leave(engine::rmpp_key const& key, std::uint64_t number);

    // What goes out (sa_answers.cpp).
    void finish(sa_exchange& one, engine::rmpp_key const& key, std::uint64_t number, std::uint16_t status);
    void refuse(request& asked, std::uint16_t status);
    void send_one(sa_exchange& one);
    void send_table(sa_exchange& one, engine::rmpp_key const& key, std::uint64_t number);
    bool begin_stream(work& one);
    void end_stream(work& one, std::uint16_t status);
    [[nodiscard]] std::shared_ptr<table_on_its_way> on_its_way(
        sa_exchange const& one, engine::rmpp_key const& key, std::uint64_t number) const;
    /// A table that has failed so has never begun to be sent.
    [[nodiscard]] bool never_begins(error_code const& why) const noexcept;
    void refuse_late(table_on_its_way const& sent, std::uint16_t status);
    void on_table_sent(table_on_its_way& sent, error_code const& why);

    port on_;
    agent over_;
    sa_server_options options_;
    table_limits limits_;
    std::unordered_map<std::uint32_t, handler_ptr> handlers_;
    std::unordered_map<engine::rmpp_key, place, engine::rmpp_key_hash> in_work_;
    std::unordered_map<std::uint16_t, std::size_t> in_work_from_; // by source LID
    std::uint64_t next_number_ = 0;
    std::size_t handlers_running_ = 0;
    asio::steady_timer bell_; // of `run`; never expires
    engine::rate_limit denials_{1, 5};
    engine::rate_limit throws_{1, 5};
    sa_server_counters counters_;
    error_code end_;
    bool runs_ = false;
    bool receives_ = false;
    bool closed_ = false;
    bool paused_ = false;
};

} // namespace madrigal::detail
