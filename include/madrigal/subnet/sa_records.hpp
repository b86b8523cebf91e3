// The records that answer a question, as a handler finds them.
#pragma once

#include <madrigal/subnet/detail/sa_exchange.hpp>
#include <madrigal/wire/sa.hpp>

#include <boost/asio/awaitable.hpp>

namespace madrigal {

namespace asio = boost::asio;

/// Takes the records of an answer. Of those that a handler of Get or GetTable has to offer it takes the ones that have
/// the components that were asked for, so a handler may offer all it knows. A handler of Set or Delete gives the record
/// as it is now, or was; where it gives none the answer has the one that was asked.
///
/// What becomes of a good status: Get with no record sa_no_records, with several sa_too_many_records (IBA 15.4.4); a
/// table without records is a good one; a table for which there is no room BUSY or sa_no_resources, see
/// `sa_server_options`.
template <wire_layout T>
class sa_records {
public:
    static_assert(T::layout.size <= sa_data_size, "the record does not fit into one MAD");

    sa_records(detail::sa_exchange& into, record_query<T> const& query) noexcept
        : into_{into}, query_{query}, selects_{is_search(into.mad().method()) && !query.mask().empty()}
    {}
    sa_records(sa_records const&) = delete;
    sa_records& operator=(sa_records const&) = delete;
    ~sa_records() = default;

    /// These components are the handler's to look at: a selector and what it says of the field beside it, NumbPath.
    /// Records are no longer compared by them.
    void interprets(component_mask<T> mask) noexcept
    {
        query_ = {query_.record(), component_mask<T>::from_value(query_.mask().value() & ~mask.value())};
        selects_ = selects_ && !query_.mask().empty();
    }
    /// All components are: records are taken whatever was asked.
    void interprets_all() noexcept { selects_ = false; }
    /// The record has all the components that count.
    [[nodiscard]] bool matches(T const& record) const noexcept { return !selects_ || query_.matches(record); }

    /// Takes a record if it matches. False where no more are wanted: a Get has two, there is no room, the server
    /// closes.
    bool add(T const& record)
    {
        if (!into_.wants_more())
            return false;
        if (!matches(record))
            return true;
        auto const place = into_.place(T::layout.size);
        if (place.empty())
            return false;
        (void)encode(record, place);
        return into_.wants_more();
    }
    /// The same for a handler that is a coroutine, which lets others on the loop have their turn now and then.
    [[nodiscard]] asio::awaitable<bool> yield(T const& record)
    {
        (void)add(record);
        return into_.go_on();
    }
    /// The turn alone: for a handler that looks at much and finds nothing. False where no more records are wanted.
    [[nodiscard]] asio::awaitable<bool> go_on() { return into_.go_on(); }

private:
    static constexpr bool is_search(madrigal::method how) noexcept
    {
        return how == madrigal::method::get || how == madrigal::method::get_table;
    }

    detail::sa_exchange& into_;
    record_query<T> query_;
    bool selects_;
};

} // namespace madrigal
