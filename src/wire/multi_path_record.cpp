#include <madrigal/wire/attributes/multi_path_record.hpp>

#include <algorithm>

namespace madrigal {

namespace {

constexpr std::size_t gid_size = 16;

/// Compares places, not byte offsets: those of a hostile place could wrap around.
bool has_room(std::size_t bytes, std::size_t place) noexcept
{
    return bytes >= multi_path_record::layout.size && place < (bytes - multi_path_record::layout.size) / gid_size;
}

} // namespace

std::optional<gid> multi_path_gid(std::span<std::byte const> record, std::size_t place) noexcept
{
    if (!has_room(record.size(), place))
        return std::nullopt;
    auto const bytes = record.subspan(multi_path_record::layout.size + place * gid_size, gid_size);
    gid::bytes_type row{};
    std::transform(
        bytes.begin(), bytes.end(), row.begin(), [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
    return gid{row};
}

bool put_multi_path_gid(std::span<std::byte> record, std::size_t place, gid const& value) noexcept
{
    if (!has_room(record.size(), place))
        return false;
    auto const bytes = record.subspan(multi_path_record::layout.size + place * gid_size, gid_size);
    std::transform(
        value.bytes().begin(), value.bytes().end(), bytes.begin(), [](std::uint8_t b) { return std::byte{b}; });
    return true;
}

} // namespace madrigal
