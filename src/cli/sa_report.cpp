#include "cli/sa_report.hpp"

#include "cli/attribute_json.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"

#include <madrigal/wire/attributes/node_record.hpp>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace madrigal::cli {
namespace {

/// Text is written out when there is so much of it.
constexpr std::size_t piece = 65'536;

/// Collects text and writes it in pieces.
class pieces {
public:
    void add(std::string_view text)
    {
        text_ += text;
        if (text_.size() >= piece)
            flush();
    }
    /// An exit code.
    [[nodiscard]] int end()
    {
        flush();
        return written_;
    }

private:
    void flush()
    {
        if (written_ == success && !text_.empty())
            written_ = write_results(text_);
        text_.clear();
    }

    std::string text_;
    int written_ = success;
};

std::string line_of(node_record const& node, sa_view_of show)
{
    auto const name = to_string(node.description.description);
    switch (show) {
    case sa_view_of::lids:
    case sa_view_of::one_lid: return fmt::format("{}\n", to_string(node.base_lid));
    case sa_view_of::guids: return fmt::format("{}\n", to_string(node.info.port_guid));
    case sa_view_of::descriptions: return fmt::format("{}\n", name);
    case sa_view_of::nodes:
    case sa_view_of::records: break;
    }
    return fmt::format("{:>5} {} {:<6} \"{}\"\n", to_string(node.base_lid), to_string(node.info.node_guid),
        to_string(node.info.type), name);
}

} // namespace

int report_text(sa_plan const& plan, sa_record_range const& records)
{
    pieces out;
    auto const& layout = plan.attribute->layout;
    for (std::size_t i = 0; i != records.count; ++i) {
        if (plan.show != sa_view_of::records) {
            out.add(line_of(*decode<node_record>(records[i]), plan.show));
            continue;
        }
        if (records.count != 1 || plan.questions.front().ask != method::get)
            out.add(fmt::format("{}# {} {} of {}\n", i == 0 ? "" : "\n", layout.name, i + 1, records.count));
        out.add(plan.attribute->text(records[i]).value_or(""));
    }
    return out.end();
}

int report_json(sa_plan const& plan, sa_record_range const& records)
{
    pieces out;
    auto const& layout = plan.attribute->layout;
    out.add(fmt::format("{{\"attribute\":{},\"attribute_id\":{},\"records\":[",
        boost::json::serialize(boost::json::value(layout.name)), layout.id));
    for (std::size_t i = 0; i != records.count; ++i)
        out.add((i == 0 ? "\n" : ",\n") + boost::json::serialize(attribute_json(*plan.attribute, records[i])));
    out.add(records.count == 0 ? "]}\n" : "\n]}\n");
    return out.end();
}

} // namespace madrigal::cli
