// Putting values into a message, and taking them out of one that nobody vouches for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace madrigal::remote {

/// What may be copied byte by byte: integers, enumerations, and the kernel's structs.
template <class T>
concept plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// Builds a message.
class message_writer {
public:
    void put(plain auto const& value)
    {
        auto const bytes = std::as_bytes(std::span{&value, 1});
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void put_bytes(std::span<std::byte const> bytes)
    {
        put(static_cast<std::uint32_t>(bytes.size()));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void put_text(std::string_view text) { put_bytes(std::as_bytes(std::span{text.data(), text.size()})); }
    template <plain T>
    void put_list(std::vector<T> const& list)
    {
        put_bytes(std::as_bytes(std::span{list}));
    }

    [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

/// Reads a message from its beginning. What is not there reads as zero or empty, and from then on the message is bad.
class message_reader {
public:
    explicit message_reader(std::span<std::byte const> bytes) noexcept : left_{bytes} {}

    template <plain T>
    [[nodiscard]] T take() noexcept
    {
        T value{};
        if (auto const from = take(sizeof(T)); !from.empty())
            std::memcpy(&value, from.data(), sizeof(T));
        return value;
    }
    [[nodiscard]] std::span<std::byte const> take_bytes() noexcept { return take(take<std::uint32_t>()); }
    [[nodiscard]] std::string take_text()
    {
        auto const bytes = take_bytes();
        std::string text(bytes.size(), '\0');
        std::transform(bytes.begin(), bytes.end(), text.begin(), [](std::byte one) { return static_cast<char>(one); });
        return text;
    }
    template <plain T>
    [[nodiscard]] std::vector<T> take_list()
    {
        auto const bytes = take_bytes();
        good_ = good_ && bytes.size() % sizeof(T) == 0;
        std::vector<T> list(bytes.size() / sizeof(T));
        if (!list.empty())
            std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
        return list;
    }

    /// Everything that was asked for was there.
    [[nodiscard]] bool is_good() const noexcept { return good_; }
    /// That, and nothing is left over.
    [[nodiscard]] bool ends_well() const noexcept { return good_ && left_.empty(); }

private:
    std::span<std::byte const> take(std::size_t size) noexcept
    {
        if (size > left_.size()) {
            good_ = false;
            left_ = {};
            return {};
        }
        auto const taken = left_.first(size);
        left_ = left_.subspan(size);
        return taken;
    }

    std::span<std::byte const> left_;
    bool good_ = true;
};

} // namespace madrigal::remote
