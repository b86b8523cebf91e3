#include <sim/kernel_send.hpp>

#include <bit>

namespace madrigal::sim {
namespace {

constexpr std::size_t first_buckets = 64;

unsigned shift_for(std::size_t buckets) noexcept
{
    return 64 - static_cast<unsigned>(std::countr_zero(buckets));
}

} // namespace

kernel_send_table::kernel_send_table() : buckets_(first_buckets), shift_{shift_for(first_buckets)} {}

kernel_send& kernel_send_table::take()
{
    if (free_ == nullptr) {
        chunks_.push_back(std::make_unique<kernel_send[]>(chunk));
        for (std::size_t i = 0; i != chunk; ++i)
            give_back(chunks_.back()[i]);
    }
    auto& one = *free_;
    free_ = one.next;
    one.next = nullptr;
    one.kind = event_kind::send_expires;
    one.leaving = false;
    one.answered = false;
    one.ticket = 0;
    return one;
}

void kernel_send_table::give_back(kernel_send& one) noexcept
{
    one.next = free_;
    free_ = &one;
}

void kernel_send_table::insert(kernel_send& one)
{
    if (size_ == buckets_.size())
        grow();
    auto& head = buckets_[bucket(one.transaction_id)];
    one.next = head;
    head = &one;
    ++size_;
}

void kernel_send_table::erase(kernel_send& one) noexcept
{
    auto** place = &buckets_[bucket(one.transaction_id)];
    while (*place != &one)
        place = &(*place)->next;
    *place = one.next;
    one.next = nullptr;
    --size_;
}

void kernel_send_table::grow()
{
    auto const old = std::move(buckets_);
    buckets_.assign(2 * old.size(), nullptr);
    shift_ = shift_for(buckets_.size());
    for (auto* head : old)
        for (auto* one = head; one != nullptr;) {
            auto* const following = one->next;
            auto& place = buckets_[bucket(one->transaction_id)];
            one->next = place;
            place = one;
            one = following;
        }
}

} // namespace madrigal::sim
