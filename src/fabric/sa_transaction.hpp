// One question to subnet administration, from the look at the port to the answer.
#pragma once

#include "fabric/sa_core.hpp"

#include <madrigal/fabric/sa_record_reader.hpp>

#include <optional>
#include <span>

namespace madrigal::detail {

/// Puts one question until it is answered: through busy times, redirections and a subnet manager that moves, within one
/// total time. Lives in the coroutine that runs it.
class sa_transaction {
public:
    /// With a reader the answer's records go there as they come, and the answer itself is its headers alone.
    sa_transaction(
        std::shared_ptr<sa_core> of, sa_question const& what, std::shared_ptr<sa_record_reader> reader = nullptr);
    sa_transaction(sa_transaction const&) = delete;
    sa_transaction& operator=(sa_transaction const&) = delete;

    /// Waits for a place and asks. No error: the answer is a good one to this question.
    [[nodiscard]] asio::awaitable<error> run(received_mad& answer);
    /// The same at once, without a place: for farewells.
    [[nodiscard]] asio::awaitable<error> run_at_once(received_mad& answer);
    /// What was asked last: whom, and through which port.
    [[nodiscard]] umad::subnet_attributes const& asked_of() const noexcept { return subnet_; }

private:
    enum class verdict { good, failed, busy, redirected };

    /// Reads the port, and finds out whom to ask.
    [[nodiscard]] error aim();
    [[nodiscard]] raw_mad make_mad() const noexcept;
    /// How the next transmissions wait; nothing where no time is left.
    [[nodiscard]] std::optional<request_options> terms() const noexcept;
    [[nodiscard]] asio::awaitable<result<received_mad>> ask(raw_mad const& asked, request_options const& how) const;
    [[nodiscard]] verdict judge(std::span<std::byte const> answer, error& why);
    [[nodiscard]] verdict follow(mad_view mad, error& why);
    void learn(mad_view mad);
    /// Nobody has answered: true where somebody else can be asked.
    [[nodiscard]] bool turn_elsewhere();
    /// When to ask a busy peer again; nothing where that would be too late.
    [[nodiscard]] std::optional<time_point> after_busy() noexcept;
    [[nodiscard]] error explain(error_code code, std::string const& more = {}) const;

    std::shared_ptr<sa_core> of_;
    sa_question what_;
    std::shared_ptr<sa_record_reader> reader_;
    umad::subnet_attributes subnet_;
    std::optional<destination> to_;
    time_point deadline_ = never;
    duration busy_interval_;
    unsigned busy_ = 0;
    unsigned hops_ = 0;
    unsigned turns_ = 0;
    bool redirected_ = false;
};

} // namespace madrigal::detail
