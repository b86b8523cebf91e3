// Who wants to be told of notices (InformInfo, IBA 13.4.8.3; InformInfoRecord, 15.2.5.12).
#pragma once

#include <madrigal/wire/attributes/inform_info_record.hpp>
#include <madrigal/wire/attributes/notice_report.hpp>
#include <madrigal/wire/record_query.hpp>
#include <madrigal/wire/status.hpp>
#include <madrigal/wire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace madrigal::engine {

/// Traps of security violations, 256 to 259, of which 256 tells M_Keys: for the trusted alone (IBA 15.4.1).
[[nodiscard]] constexpr bool is_for_trusted(bool is_generic, std::uint16_t trap_number) noexcept
{
    return is_generic && trap_number >= 256 && trap_number <= 259;
}

/// Whether a notice is one of those that a subscription is about (IBA 13.4.8.3): both generic, or both a vendor's, and
/// the same type, trap number (DeviceID) and producer (VendorID) where the subscription does not want all of them; and
/// the issuer is the port with the subscription's GID, or, where that is 0, has a LID of its range. A range that ends
/// with 0 is the one LID. Nobody wants an `empty` notice. Subscribe, QPN and RespTimeValue do not count.
[[nodiscard]] bool is_wanted(inform_info const& wanted, notice_report const& about) noexcept;

/// A subscription to notices.
struct subscription {
    gid subscriber;           ///< port that is told
    std::uint32_t qpn = 0;    ///< queue pair there that is told
    std::uint16_t number = 0; ///< among the subscriber's: Enum of its record
    inform_info wanted;       ///< with Subscribe 1, QPN and RespTimeValue 0
    bool trusted = false;     ///< who began it had the SM_Key: traps 256 to 259 are told
};

/// What has become of a request.
struct subscription_outcome {
    std::uint16_t status = mad_status::ok; ///< of the answer: one of `mad_status`. Unless it is `ok`, nothing changed
    inform_info record{};                  ///< of the answer
    bool changed = false;                  ///< a subscription has begun or ended; false for what was there already

    [[nodiscard]] bool ok() const noexcept { return status == mad_status::ok; }
};

/// Bounds of a `subscription_registry`.
struct subscription_registry_options {
    std::size_t most_subscriptions = 4096; ///< of all subscribers; one more is refused with `sa_no_resources`
    std::size_t most_of_one = 512;         ///< of one port
};

/// The subscriptions of a subnet. Requests come as they have been read from the wire. It sends nothing: who is to be
/// told is handed to who does. Belongs to one thread. Moved, never copied.
class subscription_registry {
public:
    using query_type = record_query<inform_info_record>;

    explicit subscription_registry(subscription_registry_options options = {}) : options_{options} {}
    subscription_registry(subscription_registry&&) = default;
    subscription_registry& operator=(subscription_registry&&) = default;

    /// Set(InformInfo): begins or ends a subscription of a port's queue pair, `source_qp`; that which began it may be
    /// named by QPN to end it. `subscriber` is the port that asks: the source GID of the request's GRH, else the GID of
    /// the port with its source LID; nothing where there is none. What is there already begins again without a change.
    /// Only the trusted (they have the SM_Key) may name the traps 256 to 259, others are refused with
    /// `sa_request_denied`; and only theirs of all traps are about these too.
    subscription_outcome set(
        inform_info const& asked, std::optional<gid> const& subscriber, std::uint32_t source_qp, bool trusted);
    /// Forgets the subscriptions of a port that is gone; how many they were.
    std::size_t remove_port(gid const& port);
    /// The same for all ports of which `gone` says so.
    std::size_t remove_ports(std::function<bool(gid const& port)> const& gone);

    /// Hands each record that matches to `take` until that says false; then returns false too. In the order in which
    /// they began. Only the trusted see those of others than `asker`, and QPNs: others see 0.
    bool find(query_type const& query, std::optional<gid> const& asker, bool trusted,
        std::function<bool(inform_info_record const&)> const& take) const;

    /// Hands the subscribers of a notice to `tell`, a queue pair once, however many of its subscriptions want it (IBA
    /// 13.4.11). IssuerLID and IssuerGID of the report are those of the port that issued the notice. Whether subscriber
    /// and issuer share a partition is not known here: that is for `tell` to look at. It must not change the registry.
    void for_each_subscriber(notice_report const& about, std::function<void(subscription const&)> const& tell) const;

    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }

private:
    using kept = std::list<subscription>::iterator;
    /// A port's queue pair.
    using address = std::pair<gid, std::uint32_t>;

    /// The numbers of a port's subscriptions, in order.
    [[nodiscard]] std::vector<std::uint16_t> numbers_of(gid const& subscriber) const;

    subscription_registry_options options_;
    std::list<subscription> all_;
    std::map<address, std::vector<kept>> by_address_;
};

} // namespace madrigal::engine
