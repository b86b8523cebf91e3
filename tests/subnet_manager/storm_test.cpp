// What a subnet manager bears: traps without end and ten thousand questions at a time, while it sweeps.
#include "managed_world.hpp"

#include <madrigal/wire/attributes/node_record.hpp>
#include <madrigal/wire/attributes/path_record.hpp>
#include <madrigal/wire/sa.hpp>
#include <madrigal/wire/trap.hpp>

#include <fstream>

using namespace madrigal;
using namespace madrigal::testing;
using namespace std::chrono_literals;

namespace {

/// Kilobytes that the process has had at most since `forget_peak`.
std::size_t peak_memory()
{
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:"))
            return std::stoul(line.substr(6));
    return 0;
}

void forget_peak()
{
    std::ofstream{"/proc/self/clear_refs"} << 5;
}

raw_mad trap_from(lid manager, notice const& told, std::uint64_t number)
{
    raw_mad mad{destination{manager}, {}};
    build_lid_routed_smp(mad.bytes, {.method_of_mad = method::trap, .transaction_id = number, .attribute_id = 0x0002});
    (void)encode(told, std::span{mad.bytes}.subspan<smp_data_offset>());
    return mad;
}

/// What has become of the questions.
struct tally {
    std::size_t right = 0;
    std::size_t busy = 0;
    std::size_t wrong = 0;
    std::size_t unanswered = 0;
};

} // namespace

TEST(SubnetManager, TrapsWithoutEndAndTenThousandQuestionsDoNotKeepItFromItsWork)
{
    auto options = sim::fabric_options{};
    options.faults.hop_latency = 1us;
    simulated world{
        topology::generate(topology::fat_tree{.leaves = 8, .hosts_per_leaf = 8, .spines = 4}, {}).value(), options};
    std::vector<std::string> cas;
    for (auto const& node : world.fabric->layout().nodes())
        if (node.type == node_type::ca)
            cas.push_back(node.id);
    machine at{world, cas.front()};
    machine noisy{world, cas.back()};
    sm::settings with;
    with.sweep_interval = 1s;
    with.sa_at_once = 64;
    running_manager manager{world, at, with};
    ASSERT_TRUE(world.run_until([&] { return manager.is_up(); }));
    auto const& known = manager.one->known();
    auto const sm_lid = known.now->ends.front().base_lid;

    auto const port = noisy.on_loop->open().value();
    agent_options wide;
    wide.window.size = 16'384;
    auto const asker = port.register_agent(umad::subnet_administration(), wide).value();
    auto const trapper = port.register_agent(umad::subnet_lid_routed()).value();

    forget_peak();
    auto const before = peak_memory();
    constexpr std::size_t traps = 100'000;
    constexpr std::size_t questions = 10'000;
    tally told;
    std::size_t ended = 0;
    auto const& ends = known.now->ends;
    for (std::size_t i = 0; i != questions; ++i) {
        auto const& from = ends[i % ends.size()];
        auto const& to = ends[(i / 7) % ends.size()];
        raw_mad mad{destination{sm_lid}, {}};
        bool const table = i % 10 == 0;
        if (table)
            build_sa_request(mad.bytes, {.method_of_mad = method::get_table}, record_query<node_record>{});
        else
            build_sa_request(mad.bytes, {.method_of_mad = method::get},
                record_query<path_record>{}
                    .where<&path_record::slid>(from.base_lid)
                    .where<&path_record::dlid>(to.base_lid));
        request_options how;
        how.timeout = 20'000ms;
        how.retries = 2;
        asker.async_request(mad, how,
            [&told, &ended, table, from = from.base_lid, to = to.base_lid, nodes = ends.size()](
                error_code code, received_mad const& answer) {
                ++ended;
                auto const switches = [&] { return answer.mad().outcome(); };
                if (code) {
                    ++told.unanswered;
                } else if (switches() == mad_status::busy) {
                    ++told.busy;
                } else if (switches() == mad_status::sa_no_records && !table) {
                    ++told.right; // two switches between which there is no need for a way
                } else if (switches() != mad_status::ok) {
                    ++told.wrong;
                } else if (table) {
                    auto const size = answer.payload().size();
                    ++(size == nodes * sa_record_stride(node_record::layout.size) ? told.right : told.wrong);
                } else {
                    auto const path = decode<path_record>(answer.payload());
                    ++(path && path->slid == from && path->dlid == to ? told.right : told.wrong);
                }
            });
    }
    std::size_t sent = 0;
    auto const up = manager.one->times_up();
    while (sent != traps) {
        for (std::size_t i = 0; i != 500; ++i, ++sent) {
            notice one;
            one.is_generic = true;
            one.type = notice_type::urgent;
            one.producer_type = notice_producer::ca;
            one.trap_number = static_cast<std::uint16_t>(
                sent % 3 == 0 ? trap_number::link_integrity_threshold : trap_number::local_changes + sent % 997);
            one.issuer_lid = port.attributes().base_lid;
            (void)encode(threshold_trap{lid{static_cast<std::uint16_t>(sent)}, static_cast<std::uint8_t>(sent)},
                std::as_writable_bytes(std::span{one.data_details.bytes}));
            trapper.async_send(trap_from(sm_lid, one, sent), [](error_code) {});
        }
        manager.one->sweep_again();
        auto const now = world.time.now();
        (void)world.run_until([&] { return world.time.now() > now + 1ms; });
    }
    ASSERT_TRUE(world.run_until([&] { return ended == questions && manager.is_up(); }));

    EXPECT_EQ(told.wrong, 0u);
    EXPECT_EQ(told.unanswered, 0u);
    EXPECT_EQ(told.right + told.busy, questions);
    EXPECT_GT(told.right, questions / 2);
    EXPECT_GT(manager.one->times_up(), up);
    EXPECT_TRUE(manager.one->is_complete());
    auto const counted = manager.one->traps().counters();
    EXPECT_GE(counted.received, traps);
    EXPECT_GE(counted.repressed, traps);
    EXPECT_LT(counted.delivered, 10'000u);
    EXPECT_EQ(manager.one->known().administration.gauges().in_work, 0u);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(peak_memory() - before, 96u << 10);
#endif
    std::cout << told.right << " right, " << told.busy << " BUSY; " << counted.received << " traps, "
              << counted.delivered << " of them delivered; " << (peak_memory() - before) / 1024 << " MiB\n";
}
