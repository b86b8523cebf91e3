/* What is asked of subnet administration: a record of which some components count.

     auto const query = record_query<path_record>{}
                            .where<&path_record::sgid>(mine)
                            .where<&path_record::dgid>(theirs)
                            .where<&path_record::numb_path>(1);
     auto const node = record_query<node_record>{}.where<&node_record::info, &node_info::type>(node_type::switch_);
*/
#pragma once

#include <madrigal/wire/component_mask.hpp>

#include <cassert>
#include <cstddef>

namespace madrigal {

/// A record and the components of it that count: setting a member is what makes it count. The same for requests that
/// find records and for those that set them.
template <wire_layout T>
class record_query {
public:
    constexpr record_query() noexcept = default;
    /// Of `record` what `mask` names counts.
    constexpr record_query(T const& record, component_mask<T> mask) noexcept : record_{record}, mask_{mask} {}

    /// Gives a member a value, and makes it count.
    template <auto... Members>
    constexpr record_query& where(detail::value_of<Members...> const& value) noexcept
    {
        mask_ |= components<Members...>;
        detail::reach<Members...>(record_) = value;
        return *this;
    }
    /// Gives one element of a member that is an array a value, and makes that element count. Precondition: there is
    /// such an element.
    template <auto... Members>
    constexpr record_query& where_element(
        std::size_t element, typename detail::value_of<Members...>::value_type const& value) noexcept
    {
        static_assert(!components<Members...>.empty());
        auto& all = detail::reach<Members...>(record_);
        assert(element < all.size());
        all[element] = value;
        mask_ |= component_mask<T>::from_value(detail::component_bits_of<Members...>(element));
        return *this;
    }

    [[nodiscard]] constexpr T const& record() const noexcept { return record_; }
    [[nodiscard]] constexpr component_mask<T> mask() const noexcept { return mask_; }

    /// True if the components of `candidate` that count are equal to those of the query. A selector is compared like
    /// any other component: what it says of the field beside it is left to whoever knows the record.
    [[nodiscard]] constexpr bool matches(T const& candidate) const noexcept
    {
        auto const wanted = values_that_count(record_);
        return values_that_count(candidate) == wanted;
    }

private:
    /// `from` with all other values as in a new record.
    [[nodiscard]] constexpr T values_that_count(T from) const noexcept
    {
        auto forget = [&]<class One>(std::size_t field, std::size_t element, One& one) {
            if ((detail::numbered_components<T>[field].of(element) & mask_.value()) == 0)
                one = One{};
        };
        detail::visit_values(from, forget);
        return from;
    }

    T record_{};
    component_mask<T> mask_;
};

} // namespace madrigal
