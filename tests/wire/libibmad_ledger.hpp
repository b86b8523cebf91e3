// What libibmad reads where, and what has been compared with it.
#pragma once

#include "wire/bytes.hpp"

#include <madrigal/wire/registry.hpp>

#include <gtest/gtest.h>
#include <infiniband/mad.h>

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace madrigal::test {

/// Bits of a structure, counted as the IBA's tables do.
struct extent {
    unsigned offset = 0;
    unsigned width = 0;
    friend bool operator==(extent, extent) = default;
};
inline std::ostream& operator<<(std::ostream& out, extent one)
{
    return out << "bits " << one.offset << " to " << one.offset + one.width;
}

using libibmad_value = std::array<std::byte, 256>;

/// What `mad_decode_field` writes; the rest is 0xEE.
inline libibmad_value read_by_libibmad(std::vector<std::byte>& bytes, int field)
{
    libibmad_value value{};
    value.fill(std::byte{0xEE});
    mad_decode_field(reinterpret_cast<std::uint8_t*>(bytes.data()), static_cast<MAD_FIELDS>(field), value.data());
    return value;
}

/// Which bits libibmad reads for a field: found by setting one after the other. Width 0 for one that reads nothing.
inline extent extent_in_libibmad(int field)
{
    static std::map<int, extent> known;
    if (auto const found = known.find(field); found != known.end())
        return found->second;
    std::vector<std::byte> bytes(512);
    auto const nothing = read_by_libibmad(bytes, field);
    extent result;
    for (unsigned bit = 0; bit != 8 * 256; ++bit) {
        store_bits(bytes.data(), bit, 1, 1);
        if (read_by_libibmad(bytes, field) != nothing) {
            if (result.width == 0)
                result.offset = bit;
            EXPECT_EQ(bit, result.offset + result.width) << "field " << field << " of libibmad has a hole";
            ++result.width;
        }
        store_bits(bytes.data(), bit, 1, 0);
    }
    return known[field] = result;
}

inline std::string name_in_libibmad(int field)
{
    auto const* const name = mad_field_name(static_cast<MAD_FIELDS>(field));
    return std::to_string(field) + ' ' + (name != nullptr ? name : "");
}

/// A table's bytes with another value in each field, as the library encodes them, for as long as there are others.
inline std::vector<std::byte> distinct_values(attribute_descriptor const& table)
{
    std::vector<std::byte> bytes(table.layout.size);
    std::uint64_t value = 0x9E3779B97F4A7C15;
    for (auto const& field : table.fields)
        for (unsigned element = 0; element != field.count; ++element)
            for (unsigned bit = 0; bit < field.width; bit += 64) {
                auto const width = std::min(64U, field.width - bit);
                value = value * 6364136223846793005 + 1442695040888963407;
                auto const number = value >> (64 - width);
                store_bits(bytes.data(), field.element_offset(element) + bit, width, number != 0 ? number : 1);
            }
    std::vector<std::byte> encoded(table.layout.size);
    EXPECT_TRUE(table.reencode(bytes, encoded));
    EXPECT_EQ(encoded, bytes) << table.layout.name;
    return encoded;
}

/// One table of ours beside libibmad's, and what became of each field of libibmad's.
class libibmad_ledger {
public:
    /// The fields of libibmad from `begin` up to and without `end` are those of the table from `first` on, one by one;
    /// the elements of an array count. `base` bits are before the structure in what libibmad is given.
    void compare(attribute_descriptor const& table, std::string_view first, int begin, int end, unsigned base = 0)
    {
        bool found = false;
        int theirs = begin;
        for (auto const& field : table.fields) {
            found = found || field.name == first;
            for (unsigned element = 0; found && theirs != end && element != field.count; ++element)
                compare_bits(table, field.name, {field.element_offset(element), field.width}, theirs++, base);
        }
        EXPECT_EQ(theirs, end) << table.layout.name << " has no " << first << " or too few fields after it";
    }

    /// One field of libibmad holds all from `first` to `last`, and reserved bits before it up to the byte.
    void compare_whole(attribute_descriptor const& table, std::string_view first, std::string_view last, int theirs)
    {
        auto all = span_of(table, first, last);
        all.width += all.offset % 8;
        all.offset -= all.offset % 8;
        compare_bits(table, first, all, theirs, 0);
    }
    /// One field of libibmad holds all elements of one of ours.
    void compare_whole_bits(attribute_descriptor const& table, std::string_view name, int theirs)
    {
        compare_bits(table, name, span_of(table, name, name), theirs, 0);
    }

    /// libibmad reads other bits, `as_read`, or by now those of ours. The reason why the IBA is understood in another
    /// way here.
    void disagree(
        attribute_descriptor const& table, std::string_view name, int theirs, extent as_read, std::string const& reason)
    {
        for (auto const& field : table.fields)
            if (field.name == name) {
                extent const ours{field.offset, field.width};
                auto const read = extent_in_libibmad(theirs);
                EXPECT_TRUE(read == as_read || read == ours) << name << ": libibmad reads " << read;
                EXPECT_NE(as_read, ours) << name << " agrees";
                note(theirs, reason);
                return;
            }
        ADD_FAILURE() << table.layout.name << " has no " << name;
    }

    /// Nothing to compare with, for a reason.
    void leave_out(int theirs, std::string const& reason) { note(theirs, reason); }

    [[nodiscard]] bool knows(int theirs) const { return what_became_.contains(theirs); }
    [[nodiscard]] std::size_t size() const { return what_became_.size(); }

private:
    void note(int theirs, std::string const& what)
    {
        EXPECT_FALSE(what.empty());
        EXPECT_TRUE(what_became_.emplace(theirs, what).second) << name_in_libibmad(theirs) << " twice";
    }

    void compare_bits(attribute_descriptor const& table, std::string_view name, extent ours, int theirs, unsigned base)
    {
        note(theirs, std::string{table.layout.name} + '.' + std::string{name});
        auto const where =
            std::string{table.layout.name} + '.' + std::string{name} + " and libibmad's " + name_in_libibmad(theirs);
        EXPECT_EQ((extent{ours.offset + base, ours.width}), extent_in_libibmad(theirs)) << where;

        auto& encoded = encoded_[std::string{table.layout.name}];
        if (encoded.empty())
            encoded = distinct_values(table);
        std::vector<std::byte> bytes(512);
        std::copy(encoded.begin(), encoded.end(), bytes.begin() + base / 8);
        auto const value = read_by_libibmad(bytes, theirs);
        std::uint32_t narrow = 0;
        std::uint64_t wide = 0;
        std::memcpy(&narrow, value.data(), sizeof narrow);
        std::memcpy(&wide, value.data(), sizeof wide);
        if (ours.width <= 32) {
            EXPECT_EQ(narrow, load_bits(encoded.data(), ours.offset, ours.width)) << where;
        } else if (ours.width == 64) {
            EXPECT_EQ(wide, load_bits(encoded.data(), ours.offset, ours.width)) << where;
        } else {
            ASSERT_EQ(ours.offset % 8, 0U);
            ASSERT_LE(ours.offset / 8 + ours.width / 8, encoded.size());
            EXPECT_EQ(std::memcmp(value.data(), encoded.data() + ours.offset / 8, ours.width / 8), 0) << where;
        }
    }

    static extent span_of(attribute_descriptor const& table, std::string_view first, std::string_view last)
    {
        extent all;
        for (auto const& field : table.fields) {
            if (field.name == first)
                all.offset = field.offset;
            if (field.name == last)
                all.width = field.element_offset(field.count - 1) + field.width - all.offset;
        }
        EXPECT_NE(all.width, 0U) << table.layout.name << " has no " << last;
        return all;
    }

    std::map<int, std::string> what_became_;
    std::map<std::string, std::vector<std::byte>> encoded_;
};

} // namespace madrigal::test
