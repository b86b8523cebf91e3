#include <madrigal/wire/bits.hpp>
#include <madrigal/wire/fixed_text.hpp>
#include <madrigal/wire/ping.hpp>

#include <algorithm>

namespace madrigal {
namespace {

// Behind the common header (24 bytes) come the RMPP header (12), a reserved byte and the OUI (IBA 16.5.1).
constexpr unsigned rmpp_active_bit = 8 * 26 + 7;
constexpr unsigned oui_bit = 8 * 37;
constexpr unsigned oui_bits = 24;

bool is_of_class(mad_view mad, std::uint32_t oui) noexcept
{
    return mad.bytes().size() >= ping_name_offset && mad.base_version() == mad_base_version &&
           mad.mgmt_class() == ping_class && mad.class_version() == ping_class_version &&
           load_bits(mad.bytes().data(), rmpp_active_bit, 1) == 0 &&
           load_bits(mad.bytes().data(), oui_bit, oui_bits) == oui;
}

} // namespace

void build_ping(std::span<std::byte, mad_size> bytes, std::uint32_t oui) noexcept
{
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    mutable_mad_view const mad{bytes};
    mad.set_base_version(mad_base_version);
    mad.set_mgmt_class(ping_class);
    mad.set_class_version(ping_class_version);
    mad.set_method(method::get);
    store_bits(bytes.data(), oui_bit, oui_bits, oui);
}

bool is_ping(mad_view mad, std::uint32_t oui) noexcept
{
    return mad.method() == method::get && is_of_class(mad, oui);
}

bool is_ping_answer(mad_view mad, std::uint32_t oui) noexcept
{
    return mad.method() == method::get_response && is_of_class(mad, oui);
}

void put_ping_name(std::span<std::byte> data, std::string_view name) noexcept
{
    if (data.empty())
        return;
    auto const kept = std::as_bytes(std::span{name}).first(std::min(name.size(), data.size() - 1));
    auto const end = std::copy(kept.begin(), kept.end(), data.begin());
    std::fill(end, data.end(), std::byte{0});
}

std::string ping_name(mad_view answer)
{
    auto const data = answer.data();
    std::string_view const all{reinterpret_cast<char const*>(data.data()), data.size()};
    return printable(all.substr(0, all.find('\0')));
}

} // namespace madrigal
