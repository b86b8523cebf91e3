// What the words of `madrigal sa` ask of subnet administration.
#pragma once

#include <madrigal/fabric/sa_question.hpp>
#include <madrigal/wire/registry.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace madrigal::cli {

/// What of the records is wanted.
enum class sa_view_of {
    records,      ///< all fields
    nodes,        ///< a line for each node
    lids,         ///< of nodes
    one_lid,      ///< and there must be one node
    guids,        ///< of the nodes' ports
    descriptions, ///< of nodes
};

/// The words as they were given.
struct sa_words {
    std::vector<std::string> words;  ///< an attribute's name where no option says it, and `NAME=VALUE`
    std::vector<std::string> chosen; ///< attributes that options name
    sa_view_of show = sa_view_of::records;
    std::string of;           ///< the name, LID or GUID that such an option takes
    unsigned about_nodes = 0; ///< how many options have set `show`
    bool by_lid = false;      ///< `of` is a LID
    bool by_guid = false;
    std::optional<std::string> path; ///< `SOURCE:DESTINATION`
    std::optional<std::string> gid_path;
    bool get = false;
};

/// What they mean. Where several questions are there, the first with records counts.
struct sa_plan {
    attribute_descriptor const* attribute = nullptr;
    std::vector<sa_question> questions;
    sa_view_of show = sa_view_of::records;
    /// Nodes by name whose LIDs belong into the question: of a path.
    std::optional<std::pair<std::string, std::string>> ends{};
};

/// Understands the words; throws what the command line's parser throws, with a sentence that says what is wrong.
[[nodiscard]] sa_plan understand(sa_words const& words);
/// Fills the LIDs of a path's ends in.
void set_path(sa_plan& plan, lid from, lid to);
/// The question for the node records of a name.
[[nodiscard]] sa_question nodes_named(std::string const& name);

/// Every attribute of subnet administration that can be asked for, with its short names.
[[nodiscard]] std::string sa_attribute_names();

} // namespace madrigal::cli
