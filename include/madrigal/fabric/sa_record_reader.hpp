// The records of a table that comes in pieces.
#pragma once

#include <madrigal/error.hpp>
#include <madrigal/wire/layout.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace madrigal {

/// Tells the records of a table apart while it comes, as `find_sa_records` does of one that is there as a whole, and
/// keeps no more of it than a record that has not come wholly. Nothing in what comes is trusted. Belongs to one thread.
class sa_record_reader {
public:
    /// `on_record` is called with each record: as many bytes as AttributeOffset says, or what there is of the last one,
    /// `of.size` at least.
    sa_record_reader(layout_description const& of, std::function<void(std::span<std::byte const>)> on_record);

    /// The next bytes of the data behind the headers of the first MAD, 56 bytes at least. An answer that has a status
    /// has no records: its data is kept in `refusal`.
    void take(std::span<std::byte const> headers, std::span<std::byte const> data);
    /// All has come: the last record, and errc::malformed_answer where the table is not well-formed.
    [[nodiscard]] error finish();

    /// Records so far.
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// A MAD whose status is not good: headers and data.
    [[nodiscard]] std::span<std::byte const> refusal() const noexcept { return refusal_; }
    /// Forgets a refusal, for another answer to come.
    void begin_again() noexcept;

private:
    void take_records(std::span<std::byte const> data);

    layout_description of_;
    std::function<void(std::span<std::byte const>)> on_record_;
    std::vector<std::byte> rest_; // of a record that has not come wholly
    std::vector<std::byte> refusal_;
    std::size_t stride_ = 0;
    std::size_t count_ = 0;
    bool begun_ = false;
};

} // namespace madrigal
