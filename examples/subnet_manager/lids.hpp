// Gives every port its LIDs, the same as before wherever that can be.
#pragma once

#include "settings.hpp"
#include "subnet.hpp"

#include <madrigal/error.hpp>

#include <cstdint>
#include <filesystem>
#include <map>

namespace sm {

/// Which port has had which LID: what is kept across restarts, so that paths which others have looked up stay true.
class lid_memory {
public:
    /// Reads the file, where there is one. An empty name: nothing is kept.
    [[nodiscard]] static madrigal::result<lid_memory> open(std::filesystem::path file);

    /// Gives each end port of the subnet its LIDs: those it had before, else those that it has now, else free ones.
    /// errc::queue_full's place is taken by a sentence where there are more ports than LIDs.
    [[nodiscard]] madrigal::result<void> assign(subnet& to, unsigned lmc);
    /// Writes the file where something has changed: beside it first, then in its place, so that there is a whole file
    /// at any moment.
    [[nodiscard]] madrigal::result<void> save();

private:
    std::filesystem::path file_;
    std::map<std::uint64_t, std::uint16_t> by_guid_;
    bool changed_ = false;
};

} // namespace sm
