// Which M_Key opens which node.
#pragma once

#include <madrigal/runtime/destination.hpp>
#include <madrigal/wire/types.hpp>

#include <cstdint>
#include <map>

namespace madrigal {

/// M_Keys by destination (IBA 14.2.4): for a directed route, a LID or a node GUID, and one for all others. Numbers in
/// host byte order; 0 is no key. Belongs to one thread at a time.
class m_key_table {
public:
    m_key_table() = default;

    /// The key of every destination that has none of its own.
    void set_default(std::uint64_t key) noexcept { default_ = key; }
    /// The key of the port at the end of a directed route.
    void set(directed_route const& to, std::uint64_t key) { by_route_.insert_or_assign(to, key); }
    /// The key of the port with a LID.
    void set(lid to, std::uint64_t key) { by_lid_.insert_or_assign(to, key); }
    /// The key of all ports of a node. It serves who knows the GUID before asking: a sweep does from the node's
    /// NodeInfo on, which itself needs the key by route or the default one where the node hides even that.
    void set(guid node, std::uint64_t key) { by_guid_.insert_or_assign(node, key); }

    /// The key for an SMP to `to`: that of the node where its GUID is known and has one, else that of the LID or the
    /// route where the SMP ends, else the default.
    [[nodiscard]] std::uint64_t find(destination const& to, guid node = guid{}) const noexcept;

private:
    std::uint64_t default_ = 0;
    std::map<directed_route, std::uint64_t> by_route_;
    std::map<lid, std::uint64_t> by_lid_;
    std::map<guid, std::uint64_t> by_guid_;
};

} // namespace madrigal
