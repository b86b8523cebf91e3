// Any bytes as a MAD: every decoder and every text of the wire formats.
#include "fuzz/rmpp_input.hpp"

#include <madrigal/wire/attribute_id.hpp>
#include <madrigal/wire/attributes/notice.hpp>
#include <madrigal/wire/directed_route.hpp>
#include <madrigal/wire/ping.hpp>
#include <madrigal/wire/registry.hpp>
#include <madrigal/wire/rmpp.hpp>
#include <madrigal/wire/smp.hpp>
#include <madrigal/wire/trap.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace madrigal::fuzz {
namespace {

/// Texts go to terminals: no control character of the peer's may be among them.
void check_text(std::string_view text)
{
    for (char const c : text)
        expect(c == '\n' || static_cast<unsigned char>(c) >= 0x20, "a text has no control characters");
}

void one_attribute(attribute_descriptor const& attribute, std::span<std::byte const> data)
{
    auto const size = attribute.layout.size;
    std::size_t fields = 0;
    bool const enough = data.size() >= size;
    expect(attribute.visit(data,
               [&](field_description const&, std::size_t, field_value const& value) {
                   check_text(value.text);
                   ++fields;
               }) == enough,
        "what is long enough is decoded");
    expect((fields != 0) == enough, "with all of its fields");
    auto const text = attribute.text(data);
    expect(text.has_value() == enough, "and has a text");
    if (!enough)
        return;
    check_text(*text);
    // What is decoded is all that counts: written and read again it is the same.
    std::vector<std::byte> once(size, std::byte{0xEE});
    std::vector<std::byte> twice(size, std::byte{0x55});
    expect(attribute.reencode(data, once) && attribute.reencode(once, twice), "it can be encoded");
    expect(once == twice, "to the same bytes each time");
    expect(attribute.text(once) == text, "with the same text");
    expect(!attribute.reencode(data, std::span{once}.first(size - 1)), "but not into too little room");
}

void any_bytes(std::span<std::byte const> bytes)
{
    auto const mad = mad_view::from(bytes);
    expect(mad.has_value() == (bytes.size() >= mad_header_size), "a MAD has a header");
    for (auto const& attribute : attributes())
        one_attribute(attribute, bytes);
    if (!mad)
        return;
    auto const of = mad->mgmt_class();
    check_text(to_string(of));
    check_text(to_string(mad->method()));
    check_text(describe_status(of, mad->status()));
    check_text(attribute_name(of, mad->attribute_id()));
    check_text(to_text(*decode<mad_header>(bytes)));
    check_text(describe_rmpp(*mad));
    (void)mad->is_response();
    (void)mad->outcome();
    if (auto const* attribute = find_attribute(of, mad->attribute_id()))
        one_attribute(*attribute, mad->data());
    if (auto const header = rmpp_header_of(*mad)) {
        std::array<std::byte, mad_size> answer;
        build_rmpp_answer(*mad, *header, answer);
        expect(rmpp_header_of(mad_view{answer}) == header, "an answer has the header it was given");
        check_text(to_text(*header));
    }
    if (auto const value = mad->attribute<notice>()) {
        if (auto const details = decode_trap(*value)) {
            check_text(to_text(*details));
            auto const again = encode_trap(*details);
            auto const same = decode_trap(true, value->trap_number, again);
            expect(same && to_text(*same) == to_text(*details), "details of a trap survive");
        }
        check_text(trap_name(value->trap_number));
    }
    check_text(ping_name(*mad));
    expect(!(is_ping(*mad) && is_ping_answer(*mad)), "a ping is no answer to one");
}

/// The same bytes as text that a user might have typed.
void any_text(std::string_view text)
{
    (void)find_attribute(text);
    if (auto const route = directed_route::parse(text))
        expect(directed_route::parse(to_string(*route)) == route, "a route's text is its own");
    check_text(printable(text));
}

} // namespace
} // namespace madrigal::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    // A copy without a byte to spare, so that reading beyond it is seen.
    std::vector<std::byte> const bytes(reinterpret_cast<std::byte const*>(data),
        reinterpret_cast<std::byte const*>(data) + std::min<std::size_t>(size, 512));
    madrigal::fuzz::any_bytes(bytes);
    madrigal::fuzz::any_text({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    return 0;
}
