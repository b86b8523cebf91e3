#include <madrigal/fabric/sa_record_reader.hpp>

#include <madrigal/fabric/sa_question.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace madrigal {

sa_record_reader::sa_record_reader(
    layout_description const& of, std::function<void(std::span<std::byte const>)> on_record)
    : of_{of}, on_record_{std::move(on_record)}
{}

void sa_record_reader::begin_again() noexcept
{
    refusal_.clear();
    rest_.clear();
    begun_ = false;
}

void sa_record_reader::take(std::span<std::byte const> headers, std::span<std::byte const> data)
{
    auto const view = sa_view::from(headers);
    if (!view || view->mad().status() != 0) {
        // More than a MAD no refusal needs.
        if (refusal_.empty())
            refusal_.assign(headers.begin(), headers.end());
        auto const room = mad_size - std::min(mad_size, refusal_.size());
        refusal_.insert(
            refusal_.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(std::min(room, data.size())));
        return;
    }
    if (!std::exchange(begun_, true))
        stride_ = view->record_stride();
    take_records(data);
}

void sa_record_reader::take_records(std::span<std::byte const> data)
{
    if (stride_ < of_.size) {
        // No table, or one that only its end can tell from none: see `finish`.
        auto const room = mad_size - std::min(mad_size, rest_.size());
        rest_.insert(
            rest_.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(std::min(room, data.size())));
        return;
    }
    while (!data.empty()) {
        if (rest_.empty() && data.size() >= stride_) {
            ++count_;
            on_record_(data.first(stride_));
            data = data.subspan(stride_);
            continue;
        }
        auto const part = data.first(std::min(data.size(), stride_ - rest_.size()));
        rest_.insert(rest_.end(), part.begin(), part.end());
        data = data.subspan(part.size());
        if (rest_.size() == stride_) {
            ++count_;
            on_record_(rest_);
            rest_.clear();
        }
    }
}

error sa_record_reader::finish()
{
    if (rest_.empty())
        return {};
    auto const last = std::exchange(rest_, {});
    auto const found = find_sa_records(last, stride_, of_);
    if (!found)
        return {found.error().code(), found.error().context() + " (behind " + std::to_string(count_) + " whole ones)"};
    for (std::size_t i = 0; i != found.value().count; ++i) {
        ++count_;
        on_record_(found.value()[i]);
    }
    return {};
}

} // namespace madrigal
