// The seam: one machine with InfiniBand ports.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/umad/port_file.hpp>
#include <madrigal/wire/port_state.hpp>
#include <madrigal/wire/types.hpp>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace madrigal::umad {

/// sysfs' `link_layer`.
enum class link_layer : std::uint8_t { unknown, infiniband, ethernet };

/// What umad_get_ca(3) tells of a CA, switch or router. Strings are empty where the device does not say.
struct ca_attributes {
    std::string name;               ///< `mlx5_0`
    node_type type = node_type::ca; ///< sysfs `node_type`
    std::string firmware_version;   ///< sysfs `fw_ver`
    std::string hardware_version;   ///< sysfs `hw_rev`
    std::string ca_type;            ///< sysfs `hca_type`
    std::string description;        ///< sysfs `node_desc`
    guid node_guid;                 ///< sysfs `node_guid`
    guid system_image_guid;         ///< sysfs `sys_image_guid`
    std::vector<unsigned> ports;    ///< the ports that can be opened, ascending; {0} for a switch
};

/// What umad_get_port(3) tells of a port. Integers are in host byte order.
struct port_attributes {
    std::string ca_name;
    unsigned number = 0;
    lid base_lid;
    std::uint8_t lmc = 0; ///< sysfs `lid_mask_count`, 0 to 7
    lid sm_lid;
    std::uint8_t sm_sl = 0;
    port_state state = port_state::down;
    physical_state phys_state = physical_state::no_change;
    std::string rate_text;             ///< sysfs `rate`: `100 Gb/sec (4X EDR)`
    unsigned rate = 0;                 ///< Gb/s, rounded down, as umad_get_port(3) gives it
    std::uint32_t capability_mask = 0; ///< PortInfo.CapabilityMask
    guid port_guid;                    ///< interface id of GID 0
    std::uint64_t gid_prefix = 0;      ///< subnet prefix of GID 0
    link_layer layer = link_layer::infiniband;
    std::vector<gid> gids;            ///< GID table; all-zero entries keep their place
    std::vector<std::uint16_t> pkeys; ///< P_Key table; zero entries keep their place
};

/// What of a port's attributes a subnet manager may change at any time, and whoever talks to it must know now.
struct subnet_attributes {
    lid base_lid;           ///< 0 where the port has none
    lid sm_lid;             ///< of the master SM; 0 where there is none
    std::uint8_t sm_sl = 0; ///< service level towards it
    gid first_gid;          ///< GID 0: the subnet prefix and the port GUID
    port_state state = port_state::down;

    friend bool operator==(subnet_attributes const&, subnet_attributes const&) noexcept = default;
};

/// PortInfo.CapabilityMask bits that choosing a port needs (IBA 14.2.5.6, table 146 and after).
inline constexpr std::uint32_t cap_is_sm = 1u << 1;
inline constexpr std::uint32_t cap_is_sm_disabled = 1u << 10;

/// One machine: its CAs, their ports, and the way to open them. Synchronous; may read files. Not thread-safe unless a
/// host says so.
class host {
public:
    host() = default;
    host(host const&) = delete;
    host& operator=(host const&) = delete;
    virtual ~host() = default;

    /// The URI that names this host: `linux`, `sim:lab.topo?configured`.
    [[nodiscard]] virtual std::string uri() const = 0;

    /// Names of all CAs in plain byte order (so `mlx5_10` precedes `mlx5_2`). Empty where there is no InfiniBand at
    /// all.
    virtual result<std::vector<std::string>> ca_names() = 0;
    /// errc::no_such_ca for an unknown name.
    virtual result<ca_attributes> query_ca(std::string_view ca) = 0;
    /// errc::no_such_ca, errc::no_such_port; errc::malformed_sysfs_value where a required attribute is missing or
    /// wrong.
    virtual result<port_attributes> query_port(std::string_view ca, unsigned port) = 0;

    /// What the port's subnet manager may have changed since, and nothing else: cheap enough to be asked before each
    /// question to subnet administration. Errors as of `query_port`.
    virtual result<subnet_attributes> query_subnet(std::string_view ca, unsigned port)
    {
        BOOST_OUTCOME_TRY(auto const all, query_port(ca, port));
        return subnet_attributes{all.base_lid, all.sm_lid, all.sm_sl, gid{all.gid_prefix, all.port_guid}, all.state};
    }

    /// Opens the port's umad file, non-blocking. ENOENT, EACCES, EPERM and ENXIO stay apart in the error.
    virtual result<std::unique_ptr<port_file>> open_port(std::string_view ca, unsigned port) = 0;
    /// Opens the port's issm file without waiting: EAGAIN when somebody else holds it.
    virtual result<std::unique_ptr<issm_file>> open_issm(std::string_view ca, unsigned port) = 0;
    /// The path that a program which knows nothing of this interface opens, and keeps open, to be the port's subnet
    /// manager: `/dev/infiniband/issm0`. ENOENT where the port has none, errc::no_such_ca, errc::no_such_port;
    /// ENOTSUP where this host has no such paths at all.
    virtual result<std::string> issm_path(std::string_view ca, unsigned port)
    {
        return errno_error(
            ENOTSUP, "an issm path of " + std::string{ca} + " port " + std::to_string(port) + " on " + uri());
    }
};

} // namespace madrigal::umad
