// What subnet administration is asked, and what it says to that.
#pragma once

#include <sim/core.hpp>

#include <madrigal/wire/sa.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace madrigal::sim {

struct sa_memory;

/// An answer: a status, and records one behind the other.
struct sa_reply {
    std::uint16_t status = mad_status::ok;
    std::vector<std::byte> data{};
    /// From one record of a table to the next; 0 where there is none.
    std::size_t stride = 0;
};

/// A request on its way through subnet administration.
struct sa_question {
    core& fabric;
    topology::endpoint sa_at; ///< where the subnet manager is
    sa_memory& memory;
    packet const& asked;
    bool trusted;     ///< it has the SM_Key
    std::size_t room; ///< an answer may have so many bytes

    [[nodiscard]] mad_view mad() const noexcept { return asked.view(); }
    [[nodiscard]] method how() const noexcept { return mad().method(); }
    [[nodiscard]] bool is_get() const noexcept { return how() == method::get; }
    /// No record is longer than the data of a MAD.
    template <wire_layout T>
    [[nodiscard]] record_query<T> query() const noexcept
    {
        static_assert(T::layout.size <= sa_data_size);
        return *sa_view::from(asked.mad)->query<T>();
    }
};

[[nodiscard]] inline sa_reply refusal(std::uint16_t status)
{
    return {.status = status};
}

/// Puts the records of an answer together: one of a Get, all of a GetTable.
template <wire_layout T>
class record_list {
public:
    explicit record_list(sa_question const& question) noexcept : question_{question} {}

    /// Adds a record. False where no more are wanted: a Get has two, or there is no room.
    bool add(T const& record)
    {
        constexpr auto stride = sa_record_stride(T::layout.size);
        ++count_;
        if (question_.is_get() && count_ > 1)
            return false;
        full_ = data_.size() + stride > question_.room;
        if (full_)
            return false;
        auto const at = data_.size();
        data_.resize(at + stride);
        (void)encode(record, std::span{data_}.subspan(at));
        return true;
    }

    [[nodiscard]] sa_reply reply() &&
    {
        if (full_)
            return refusal(mad_status::sa_no_resources);
        if (question_.is_get() && count_ != 1)
            return refusal(count_ == 0 ? mad_status::sa_no_records : mad_status::sa_too_many_records);
        auto const stride = question_.how() == method::get_table && count_ != 0 ? sa_record_stride(T::layout.size) : 0;
        return {.data = std::move(data_), .stride = stride};
    }

private:
    sa_question const& question_;
    std::vector<std::byte> data_;
    std::size_t count_ = 0;
    bool full_ = false;
};

/// The answer that is one record, whatever was asked.
template <wire_layout T>
[[nodiscard]] sa_reply single(T const& record)
{
    sa_reply reply;
    reply.data.resize(T::layout.size);
    (void)encode(record, reply.data);
    return reply;
}

// One for each record. They are called with methods that the record has only (sa_server.cpp).
sa_reply answer_class_port_info(sa_question const& question);
sa_reply answer_node_records(sa_question const& question);
sa_reply answer_port_info_records(sa_question const& question);
sa_reply answer_switch_info_records(sa_question const& question);
sa_reply answer_forwarding_records(sa_question const& question);
sa_reply answer_sm_info_records(sa_question const& question);
sa_reply answer_link_records(sa_question const& question);
sa_reply answer_guid_info_records(sa_question const& question);
sa_reply answer_p_key_records(sa_question const& question);
sa_reply answer_path_records(sa_question const& question);
sa_reply answer_service_records(sa_question const& question);
sa_reply answer_member_records(sa_question const& question);
sa_reply answer_inform_info(sa_question const& question);
sa_reply answer_inform_info_records(sa_question const& question);

} // namespace madrigal::sim
