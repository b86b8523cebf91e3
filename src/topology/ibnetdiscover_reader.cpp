#include <madrigal/topology/ibnetdiscover_reader.hpp>

#include "ibnetdiscover_assembly.hpp"
#include "ibnetdiscover_line.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

namespace madrigal::topology {

namespace {

using detail::line_cursor;

/// `# Initiated from node 0002c9030002847c port 0002c9030002847e`
void read_initiation(std::string_view comment, fabric& into)
{
    line_cursor at{comment};
    if (at.take_word() != "Initiated" || at.take_word() != "from" || at.take_word() != "node")
        return;
    at.skip_blanks();
    auto const node = at.take_hexadecimal();
    if (!node || at.take_word() != "port")
        return;
    at.skip_blanks();
    if (auto const port = at.take_hexadecimal()) {
        into.initiated_from_node = guid{*node};
        into.initiated_from_port = guid{*port};
    }
}

/// Words that start lines of ibnetdiscover and ibsim which tell nothing that a fabric holds.
std::string_view reason_to_pass(std::string_view line)
{
    struct known {
        std::string_view start;
        std::string_view reason;
    };
    constexpr std::array lines{
        known{"Non-Chassis Nodes", "a heading: grouping by chassis is not kept"},
        known{"Chassis", "a heading: grouping by chassis is not kept"},
        known{"Hostname:", "the name of a chassis is not kept"},
        known{"@", "an alias of ibsim: aliases are not kept"},
        known{"module", "a command of ibsim, which is not carried out"},
        known{"width", "a command of ibsim, which is not carried out"},
        known{"speed", "a command of ibsim, which is not carried out"},
        known{"pdebug", "a command of ibsim, which is not carried out"},
        known{"do ", "a command of ibsim, which is not carried out"},
        known{"switchguid+", "a GUID relative to an earlier one is not kept"},
        known{"caguid+", "a GUID relative to an earlier one is not kept"},
        known{"hcaguids+", "a GUID relative to an earlier one is not kept"},
    };
    for (auto const& candidate : lines)
        if (line.starts_with(candidate.start))
            return candidate.reason;
    return "not understood: expected a record (`Switch`, `Ca`, `Hca`, `Rt`), a port (`[1] …`), an attribute such as "
           "`vendid=` or a comment";
}

} // namespace

result<read_outcome> read_ibnetdiscover(std::string_view text, std::string file_name)
{
    detail::assembly assembly{std::move(file_name)};
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3); // the byte order mark that some editors put before UTF-8

    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        auto const end = text.find('\n');
        auto const line = detail::trimmed(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);

        if (line.empty())
            continue;
        auto step = assembly.ok();
        if (line.front() == '#')
            read_initiation(line.substr(1), assembly.outcome().fabric);
        else if (line.front() == '[')
            step = assembly.add_port(number, line);
        else if (detail::is_record_line(line))
            step = assembly.add_record(number, line);
        else if (detail::is_attribute_line(line))
            step = assembly.add_attribute(number, line);
        else if (line.starts_with("include"))
            step = assembly.fail(number, "ibsim's `include` is not followed: expected the records themselves");
        else
            assembly.pass_over(number, line, std::string{reason_to_pass(line)});
        if (!step)
            return std::move(step).error();
    }
    return std::move(assembly).finish(number);
}

result<read_outcome> read_ibnetdiscover_file(std::string const& path)
{
    constexpr std::size_t largest = std::size_t{256} << 20U;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file{std::fopen(path.c_str(), "rbe"), &std::fclose};
    if (!file)
        return errno_error("open " + path);
    std::string text;
    std::size_t const step = std::size_t{1} << 18U;
    for (std::size_t filled = 0;;) {
        text.resize(filled + step);
        auto const got = std::fread(text.data() + filled, 1, step, file.get());
        filled += got;
        text.resize(filled);
        if (filled > largest)
            return error{errc::malformed_topology, path + ": larger than 256 MiB"};
        if (got == step)
            continue;
        if (std::ferror(file.get()) != 0)
            return errno_error("read " + path);
        break;
    }
    return read_ibnetdiscover(text, path);
}

} // namespace madrigal::topology
