// Puts a fabric together from the lines of ibnetdiscover's text.
#pragma once

#include "ibnetdiscover_line.hpp"

#include <madrigal/topology/ibnetdiscover_reader.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace madrigal::topology::detail {

/// Takes the lines one by one and resolves the cables at the end, since a line may name a node that comes later. Views
/// into the text must live until `finish`.
class assembly {
public:
    explicit assembly(std::string file_name) : file_name_{std::move(file_name)} {}

    [[nodiscard]] static result<void> ok() { return outcome::success(); }
    [[nodiscard]] result<void> fail(std::size_t line, std::string_view what) const;

    void pass_over(std::size_t line, std::string_view text, std::string reason);
    [[nodiscard]] read_outcome& outcome() noexcept { return outcome_; }

    [[nodiscard]] result<void> add_attribute(std::size_t line, std::string_view text);
    [[nodiscard]] result<void> add_record(std::size_t line, std::string_view text);
    [[nodiscard]] result<void> add_port(std::size_t line, std::string_view text);

    /// `lines`: how many the text has.
    [[nodiscard]] result<read_outcome> finish(std::size_t lines) &&;

private:
    /// A node before its GUID is settled, which needs all the GUIDs of the file.
    struct record {
        node value;
        std::size_t line = 0;
        bool undescribed = false;    ///< takes the description that a peer's line tells
        bool mentioned_only = false; ///< has no record: grows with each port that is mentioned
    };
    /// One line's word on one cable.
    struct claim {
        node_index node = no_node;
        port_line told;
        std::size_t line = 0;
        std::string_view text;
    };
    /// Attribute lines wait here for their record.
    struct pending {
        std::optional<std::uint64_t> vendor_id;
        std::optional<std::uint64_t> device_id;
        std::optional<guid> system_image_guid;
        std::size_t line = 0;
        std::string_view text;
    };
    struct pending_guid {
        guid node_guid;
        std::optional<guid> port_guid;
        std::size_t line = 0;
        std::string_view text;
    };

    [[nodiscard]] result<node_index> peer_of(claim const& from);
    [[nodiscard]] result<void> resolve_peers();
    [[nodiscard]] result<void> connect_all();
    void assign_missing_guids();
    void take_mention(claim const& from, node_index peer);
    [[nodiscard]] std::string describe(node_index node, unsigned port) const;

    std::string file_name_;
    read_outcome outcome_;
    std::vector<record> records_;
    std::unordered_map<std::string_view, node_index> by_id_;
    std::unordered_map<std::uint64_t, node_index> by_guid_;
    std::vector<claim> claims_;
    std::vector<node_index> peers_;       ///< per claim, once resolved
    std::vector<std::uint32_t> claim_at_; ///< per port of the current record: index of its claim + 1, 0 for none
    pending pending_;
    std::array<std::optional<pending_guid>, 4> pending_guids_; ///< by node type
};

} // namespace madrigal::topology::detail
