// Services that ports offer, as subnet administration keeps them (ServiceRecord, IBA 15.2.5.14).
#pragma once

#include <madrigal/engine/time.hpp>
#include <madrigal/wire/attributes/service_record.hpp>
#include <madrigal/wire/record_query.hpp>
#include <madrigal/wire/status.hpp>
#include <madrigal/wire/types.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace madrigal::engine {

/// What has become of a request.
struct service_outcome {
    std::uint16_t status = mad_status::ok; ///< of the answer: one of `mad_status`. Unless it is `ok`, nothing changed
    service_record record{};               ///< of the answer

    [[nodiscard]] bool ok() const noexcept { return status == mad_status::ok; }
};

/// Bounds of a `service_registry`.
struct service_registry_options {
    std::size_t most_services = 4096; ///< one more is refused with `sa_no_resources`
    std::size_t most_of_one = 512;    ///< set by one port
};

/// The services of a subnet, each for as long as its lease. ServiceID, ServiceGID and P_Key tell services apart; who
/// has not the ServiceKey of one cannot change it. Requests come as they have been read from the wire. `now` never goes
/// back; services whose lease has ended are not found any more, expired or not. Belongs to one thread.
class service_registry {
public:
    using query_type = record_query<service_record>;
    /// The P_Key table of a port, host byte order; nothing where the subnet has no such port.
    using p_key_table = std::optional<std::span<std::uint16_t const>>;

    explicit service_registry(service_registry_options options = {}) : options_{options} {}

    /// SubnAdmSet: a new service, or a new record and a new lease of one that is there. `p_keys` are of the port with
    /// the ServiceGID. Refused are requests without a needed component, with a GID that is of no port, with a P_Key
    /// that the port does not hold, and with another ServiceKey than the service has.
    /// `asker` is the port that asks, whose share the service counts for; 0: that of the ServiceGID, which anybody can
    /// choose.
    service_outcome set(query_type const& query, p_key_table p_keys, time_point now, gid const& asker = {});
    /// SubnAdmDelete. The trusted (they have the SM_Key) need no ServiceKey. `sa_no_records` where there is none.
    service_outcome remove(query_type const& query, bool trusted, time_point now);
    /// Forgets the services of a port that is gone; how many they were.
    std::size_t remove_port(gid const& port);
    /// The same for all ports of which `gone` says so.
    std::size_t remove_ports(std::function<bool(gid const& port)> const& gone);

    /// Hands each record that matches to `take` until that says false; then returns false too. ServiceLease is what
    /// remains, in whole seconds. Only the trusted see a ServiceKey, or find by it.
    bool find(query_type const& query, bool trusted, time_point now,
        std::function<bool(service_record const&)> const& take) const;

    /// When `expire` has something to do; `never` where no lease ends.
    [[nodiscard]] time_point deadline() const noexcept;
    /// Forgets the services whose lease has ended; how many they were.
    std::size_t expire(time_point now);
    /// Services, those whose lease has ended included until they have been expired.
    [[nodiscard]] std::size_t size() const noexcept { return services_.size(); }

private:
    /// What tells services apart.
    struct identity {
        std::uint64_t service_id;
        gid port;
        std::uint16_t p_key;

        explicit identity(service_record const& of) noexcept
            : service_id{of.service_id}, port{of.service_gid}, p_key{of.service_p_key}
        {}
        friend auto operator<=>(identity const&, identity const&) noexcept = default;
    };
    struct kept_service {
        service_record record;
        time_point lease_end = never;
        gid asker{};
    };
    using service_place = std::map<identity, kept_service>::iterator;

    static service_record shown(kept_service const& service, bool trusted, time_point now);
    service_place forget(service_place place);

    service_registry_options options_;
    std::map<identity, kept_service> services_;
    std::set<std::pair<time_point, identity>> leases_; ///< that end
    std::map<gid, std::size_t> services_of_;           ///< how many, by who has asked
};

} // namespace madrigal::engine
