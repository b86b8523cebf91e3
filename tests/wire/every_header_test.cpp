// Structures that are no attributes.
#include "wire/every_layout.hpp"

#include <madrigal/wire/class_header.hpp>
#include <madrigal/wire/smp.hpp>
#include <madrigal/wire/trap.hpp>

namespace madrigal::test {
namespace {

using headers = testing::Types<mad_header, lid_routed_smp, directed_route_smp, sa_header, vendor_oui_header,
    baseboard_header, congestion_header, snmp_header>;
INSTANTIATE_TYPED_TEST_SUITE_P(Headers, EveryLayout, headers, layout_name);

using details = testing::Types<gid_trap, link_state_trap, threshold_trap, local_changes_trap, system_image_trap,
    bad_m_key_trap, bad_key_trap, switch_bad_p_key_trap>;
INSTANTIATE_TYPED_TEST_SUITE_P(TrapDetails, EveryLayout, details, layout_name);

using parts = testing::Types<vl_arbitration_entry, lid_port_entry, congestion_switch_entry, congestion_ca_entry,
    switch_port_congestion, ca_congestion_entry, congestion_control_entry, service_entry>;
INSTANTIATE_TYPED_TEST_SUITE_P(Entries, EveryLayout, parts, layout_name);

} // namespace
} // namespace madrigal::test
