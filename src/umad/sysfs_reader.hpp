// Reads attribute files under a root that may change, or be hostile, while it is read.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/umad/system_calls.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace madrigal::umad::sysfs {

/// Whether an error says that a thing is not there, or not any more.
[[nodiscard]] bool is_absent(error const& why) noexcept;

class reader {
public:
    explicit reader(std::shared_ptr<system_calls> calls) : calls_{std::move(calls)} {}

    /// A file's text without the line end. The errno with the path in the context; errc::malformed_sysfs_value for more
    /// than the page that sysfs gives.
    [[nodiscard]] result<std::string> text(std::string const& path) const;
    /// The names in a directory in plain byte order.
    [[nodiscard]] result<std::vector<std::string>> names(std::string const& path) const;
    [[nodiscard]] bool has_directory(std::string const& path) const;

    /// The value of a file that must be there: `parse(text)` gives an optional. errc::malformed_sysfs_value for text
    /// that it does not accept.
    template <class Parse>
    [[nodiscard]] auto required(std::string const& path, Parse parse) const
        -> result<typename decltype(parse(std::string_view{}))::value_type>
    {
        BOOST_OUTCOME_TRY(auto const found, text(path));
        auto value = parse(std::string_view{found});
        if (!value)
            return malformed(path, found);
        return std::move(*value);
    }

    /// The value of a file that may be missing or unreadable: `otherwise` then. Text that `parse` does not accept is an
    /// error all the same.
    template <class Parse>
    [[nodiscard]] auto optional(
        std::string const& path, Parse parse, typename decltype(parse(std::string_view{}))::value_type otherwise) const
        -> result<typename decltype(parse(std::string_view{}))::value_type>
    {
        auto value = required(path, parse);
        if (!value && value.error() != errc::malformed_sysfs_value)
            return otherwise;
        return value;
    }

    /// The error for a file that holds `found`.
    [[nodiscard]] static error malformed(std::string const& path, std::string_view found);

private:
    std::shared_ptr<system_calls> calls_;
};

} // namespace madrigal::umad::sysfs
