// What a client keeps registered with subnet administration, and asks for again when that may have forgotten it.
#pragma once

#include "fabric/sa_core.hpp"

#include <deque>
#include <optional>

namespace madrigal::detail {

/// A subscription or a membership.
class sa_standing {
public:
    explicit sa_standing(std::shared_ptr<sa_core> of) noexcept : of_{std::move(of)} {}
    sa_standing(sa_standing const&) = delete;
    sa_standing& operator=(sa_standing const&) = delete;
    virtual ~sa_standing() = default;

    /// What registers it, first and again, of a port that is now so.
    [[nodiscard]] virtual sa_question request(umad::subnet_attributes const& now) const = 0;
    /// What ends it.
    [[nodiscard]] virtual sa_question farewell() const = 0;
    /// The answer to `request`.
    [[nodiscard]] virtual error on_answer(received_mad const& answer) = 0;
    /// The client or its user has closed it.
    virtual void on_closed() = 0;
    /// For messages.
    [[nodiscard]] virtual std::string name() const = 0;

    [[nodiscard]] sa_core& of() const noexcept { return *of_; }
    [[nodiscard]] std::shared_ptr<sa_core> const& shared_core() const noexcept { return of_; }

    /// Of which subnet manager, and with which addresses, it has last been registered; nothing where that is void.
    std::optional<umad::subnet_attributes> told;
    time_point told_at{};
    time_point next_try{};
    duration interval{};   ///< to the next try after one that failed; 0 after one that succeeded
    bool renewing = false; ///< is being asked for
    bool outdated = false; ///< what is being asked for must be asked for once more
    bool ended = false;    ///< nobody wants it any more

    /// Must be asked for again.
    void make_void() noexcept
    {
        outdated = renewing;
        told.reset();
        next_try = {};
        interval = {};
    }

private:
    std::shared_ptr<sa_core> of_;
};

/// A subscription: the reports that wait, and who waits for them.
class sa_subscribed final : public sa_standing, public std::enable_shared_from_this<sa_subscribed> {
public:
    sa_subscribed(std::shared_ptr<sa_core> of, inform_info const& wanted, sa_request_options const& how);

    [[nodiscard]] sa_question request(umad::subnet_attributes const& now) const override;
    [[nodiscard]] sa_question farewell() const override;
    [[nodiscard]] error on_answer(received_mad const& answer) override;
    void on_closed() override;
    [[nodiscard]] std::string name() const override;

    [[nodiscard]] inform_info const& wanted() const noexcept { return wanted_; }
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
    void put(notice_report const& report);
    void receive(sa_waiter_ptr<notice_report> waiter, asio::cancellation_slot slot);

private:
    struct receiver {
        std::uint64_t number;
        sa_waiter_ptr<notice_report> waiter;
    };
    void cancel(std::uint64_t number);
    void tell_later(sa_waiter_ptr<notice_report> waiter, error_code code, notice_report const& report) const;

    inform_info wanted_;
    sa_request_options how_;
    std::deque<notice_report> reports_;
    std::deque<receiver> receivers_;
    std::uint64_t next_number_ = 0;
    std::uint64_t dropped_ = 0;
    bool closed_ = false;
};

/// A membership of a multicast group.
class sa_joined final : public sa_standing {
public:
    sa_joined(std::shared_ptr<sa_core> of, record_query<mc_member_record> const& wanted, sa_request_options const& how);

    [[nodiscard]] sa_question request(umad::subnet_attributes const& now) const override;
    [[nodiscard]] sa_question farewell() const override;
    [[nodiscard]] error on_answer(received_mad const& answer) override;
    void on_closed() override {}
    [[nodiscard]] std::string name() const override;

    [[nodiscard]] mc_member_record const& record() const noexcept { return record_; }

private:
    record_query<mc_member_record> wanted_;
    sa_request_options how_;
    bool own_gid_; // PortGID is the port's, whatever that is
    mc_member_record record_;
};

/// Ends it here, and there; `waiter`, where there is one, is told how.
void end_standing(std::shared_ptr<sa_standing> const& what, sa_waiter_ptr<sa_nothing> waiter);

} // namespace madrigal::detail
