#include "manager.hpp"
#include "reports.hpp"

#include <madrigal/wire/format.hpp>
#include <madrigal/wire/trap.hpp>

#include <spdlog/spdlog.h>

namespace sm {

asio::awaitable<void> manager::take_traps()
{
    while (!stopping_) {
        auto const trap = co_await traps_.next_trap();
        if (!trap)
            break;
        auto const& one = trap.value();
        ++known_.counted.traps;
        spdlog::info("{}: trap {} from LID {}", name(), one.told.trap_number, one.source);
        if (duty_ != madrigal::sm_duty::configure)
            continue;
        report(known_, one.told, one.source);
        bool const links =
            one.told.is_generic && (one.told.trap_number == madrigal::trap_number::link_state_changed ||
                                       one.told.trap_number == madrigal::trap_number::local_changes ||
                                       one.told.trap_number == madrigal::trap_number::system_image_guid_changed);
        // What was not delivered may have been about links too.
        if (links || one.missed != 0)
            sweep_again();
    }
}

} // namespace sm
