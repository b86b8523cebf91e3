#include <madrigal/fabric/sa_question.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace madrigal {
namespace {

error cut_short(layout_description const& of, std::size_t place, std::size_t bytes)
{
    return {errc::malformed_answer,
        fmt::format("{} number {} of the table is cut short: {} of {} bytes", of.name, place + 1, bytes, of.size)};
}

} // namespace

result<sa_record_range> find_sa_records(
    std::span<std::byte const> data, std::size_t attribute_offset_bytes, layout_description const& of)
{
    auto const stride = attribute_offset_bytes;
    if (data.empty())
        return sa_record_range{};
    if (stride == 0) {
        if (std::all_of(data.begin(), data.end(), [](std::byte one) { return one == std::byte{0}; }))
            return sa_record_range{};
        return error{errc::malformed_answer,
            fmt::format("a table of {} with {} bytes of data and AttributeOffset 0", of.name, data.size())};
    }
    if (stride < of.size)
        return cut_short(of, 0, std::min(stride, data.size()));
    auto const whole = data.size() / stride;
    auto const rest = data.size() % stride;
    if (rest != 0 && rest < of.size)
        return cut_short(of, whole, rest);
    return sa_record_range{data, stride, whole + (rest != 0 ? 1 : 0)};
}

result<sa_record_range> find_sa_records(received_mad const& answer, layout_description const& of)
{
    auto const view = sa_view::from(answer.bytes());
    if (!view)
        return error{errc::malformed_answer, fmt::format("an answer of {} bytes", answer.bytes().size())};
    return find_sa_records(answer.payload(), view->record_stride(), of);
}

error detail::record_is_cut_short(std::size_t bytes, layout_description const& of)
{
    return {errc::malformed_answer,
        fmt::format("the {} of the answer is cut short: {} of {} bytes", of.name, bytes, of.size)};
}

} // namespace madrigal
