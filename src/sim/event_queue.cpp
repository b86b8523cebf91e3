#include <sim/event_queue.hpp>

#include <algorithm>

namespace madrigal::sim {

void event_queue::push(event& value, time_point when)
{
    remove(value);
    entry const added{when, order_++, &value};
    heap_.push_back(added);
    sift_up(heap_.size() - 1, added);
}

void event_queue::remove(event& value) noexcept
{
    if (!value.queued())
        return;
    std::size_t const place = value.place;
    value.place = event::not_queued;
    entry const last = heap_.back();
    heap_.pop_back();
    if (place == heap_.size())
        return;
    if (place != 0 && last.before(heap_[(place - 1) / 4]))
        sift_up(place, last);
    else
        sift_down(place, last);
}

event& event_queue::pop() noexcept
{
    event& first = *heap_.front().what;
    remove(first);
    return first;
}

void event_queue::put(std::size_t place, entry value) noexcept
{
    heap_[place] = value;
    value.what->place = static_cast<std::uint32_t>(place);
}

void event_queue::sift_up(std::size_t place, entry value) noexcept
{
    while (place != 0) {
        std::size_t const parent = (place - 1) / 4;
        if (!value.before(heap_[parent]))
            break;
        put(place, heap_[parent]);
        place = parent;
    }
    put(place, value);
}

void event_queue::sift_down(std::size_t place, entry value) noexcept
{
    for (;;) {
        std::size_t const first = 4 * place + 1;
        if (first >= heap_.size())
            break;
        std::size_t const end = std::min(first + 4, heap_.size());
        std::size_t least = first;
        for (std::size_t child = first + 1; child < end; ++child)
            if (heap_[child].before(heap_[least]))
                least = child;
        if (!heap_[least].before(value))
            break;
        put(place, heap_[least]);
        place = least;
    }
    put(place, value);
}

} // namespace madrigal::sim
