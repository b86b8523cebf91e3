// What a client asks of subnet administration, for the handler that answers.
#pragma once

#include <madrigal/subnet/detail/sa_exchange.hpp>
#include <madrigal/subnet/managed_subnet.hpp>
#include <madrigal/wire/sa.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace madrigal {

/// A question about records of one kind. Borrowed by the handler until it has ended, also where the question has been
/// answered otherwise meanwhile.
template <wire_layout T>
class sa_asked {
public:
    sa_asked(detail::sa_exchange const& of, record_query<T> const& query) noexcept : of_{of}, query_{query} {}

    /// Get, GetTable, Set or Delete.
    [[nodiscard]] madrigal::method method() const noexcept { return of_.mad().method(); }
    /// The record, and which of its components count.
    [[nodiscard]] record_query<T> const& query() const noexcept { return query_; }
    [[nodiscard]] T const& record() const noexcept { return query_.record(); }
    [[nodiscard]] component_mask<T> mask() const noexcept { return query_.mask(); }
    /// This component counts: `asked.has<&path_record::numb_path>()`.
    template <auto... Members>
    [[nodiscard]] bool has() const noexcept
    {
        return query_.mask().has(components<Members...>);
    }
    /// The client has shown the SM_Key: it may be told everything, M_Keys too (IBA 15.4.1).
    [[nodiscard]] bool trusted() const noexcept { return of_.trusted(); }

    /// Where it came from: LID, QP, service level, place of the P_Key in the port's table, GRH.
    [[nodiscard]] umad::ib_user_mad_hdr const& address() const noexcept { return of_.address(); }
    [[nodiscard]] lid source() const noexcept { return lid{of_.address().lid.value()}; }
    /// The port of a subnet that asks: which has the LID, and the GID too where the question came with one. Null where
    /// there is none.
    [[nodiscard]] end_port const* asker(managed_subnet const& in) const
    {
        auto const* const end = in.find(source());
        if (of_.address().grh_present == 0)
            return end;
        gid::bytes_type bytes;
        std::copy_n(of_.address().gid, bytes.size(), bytes.begin());
        return in.find(gid{bytes}) == end ? end : nullptr;
    }
    /// The MAD's header: transaction, modifier. No more of it.
    [[nodiscard]] mad_view mad() const noexcept { return of_.mad(); }

private:
    detail::sa_exchange const& of_;
    record_query<T> query_;
};

} // namespace madrigal
