// How long the simulator takes: loading a large fabric, and one question after the other. Prints figures, checks none.
//
//   madrigal_sim_speed            a generated fat tree of 10,000 nodes
//   madrigal_sim_speed FILE...    these files
#include <madrigal/sim/fabric.hpp>
#include <madrigal/sim/host.hpp>
#include <madrigal/topology/generators.hpp>
#include <madrigal/topology/ibnetdiscover_writer.hpp>
#include <madrigal/wire/smp.hpp>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <vector>

namespace {

std::uint64_t allocations = 0;

} // namespace

void* operator new(std::size_t size)
{
    ++allocations;
    if (void* const place = std::malloc(size))
        return place;
    throw std::bad_alloc{};
}
void operator delete(void* place) noexcept
{
    std::free(place);
}
void operator delete(void* place, std::size_t) noexcept
{
    std::free(place);
}

namespace {

using namespace madrigal;

long resident_megabytes()
{
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:"))
            return std::stol(line.substr(6)) / 1024;
    return 0;
}

double milliseconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void ask_and_ask(sim::host& machine, directed_route const& route, char const* what, std::size_t window)
{
    auto const ca = machine.ca_names().value().front();
    auto const port = machine.query_ca(ca).value().ports.front();
    auto const file = machine.open_port(ca, port).value();
    umad::ib_user_mad_reg_req2 client{};
    client.mgmt_class = 0x81;
    client.mgmt_class_version = 1;
    if (file->register_agent2(client))
        return;
    std::array<std::byte, umad::header_size + mad_size> request{};
    umad::ib_user_mad_hdr header{};
    header.id = client.id;
    header.timeout_ms = 1000;
    header.length = request.size();
    header.lid.set(0xFFFF);
    std::memcpy(request.data(), &header, sizeof header);
    std::span<std::byte, mad_size> const smp{request.data() + umad::header_size, mad_size};
    build_directed_route_smp(smp, method::get, 1, attribute_id::node_info, 0, 0, route);
    mutable_mad_view const mad{smp};
    std::array<std::byte, umad::header_size + mad_size> answer;

    std::uint64_t id = 0;
    std::uint64_t wrong = 0;
    auto const round = [&] {
        for (std::size_t i = 0; i != window; ++i) {
            mad.set_transaction_id(++id);
            wrong += !file->write(request);
        }
        for (std::size_t i = 0; i != window; ++i)
            wrong += !file->read(answer);
    };
    for (int i = 0; i != 100; ++i)
        round();
    std::size_t const rounds = 400'000 / window;
    auto const before = allocations;
    auto const start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i != rounds; ++i)
        round();
    auto const each = milliseconds_since(start) * 1e6 / static_cast<double>(rounds * window);
    fmt::print("  {:<28} {:4} at a time: {:6.0f} ns each, {} allocations, {} failed\n", what, window, each,
        allocations - before, wrong);
}

void measure(std::filesystem::path const& file)
{
    for (auto const start_as : {sim::start_state::as_cabled, sim::start_state::configured}) {
        auto const before = resident_megabytes();
        auto const start = std::chrono::steady_clock::now();
        auto const made = sim::load_fabric(file, {.start = start_as});
        auto const took = milliseconds_since(start);
        if (!made) {
            fmt::print("{}: {}\n", file.string(), made.error().message());
            return;
        }
        auto const counts = made.value()->layout().counts();
        fmt::print("{} {}: {} switches, {} CAs, {} routers, {} links loaded in {:.0f} ms, {} MB\n",
            file.filename().string(), start_as == sim::start_state::configured ? "configured" : "as cabled",
            counts.switches, counts.cas, counts.routers, counts.links, took, resident_megabytes() - before);
        auto const machine = sim::host::make(made.value()).value();
        for (std::size_t const window : {1, 64}) {
            ask_and_ask(*machine, directed_route{}, "Get(NodeInfo), local", window);
            auto const node = machine->node();
            auto const& ports = made.value()->layout().at(node).ports;
            for (std::size_t port = 0; port != ports.size(); ++port)
                if (ports[port].peer && port == 0)
                    ask_and_ask(*machine, directed_route{0, 1}, "Get(NodeInfo), next switch", window);
        }
    }
}

} // namespace

int main(int count, char** arguments)
{
    std::vector<std::string> const files{arguments + 1, arguments + count};
    for (auto const& file : files)
        measure(file);
    if (!files.empty())
        return 0;
    auto const file = std::filesystem::temp_directory_path() / "madrigal-sim-speed.topo";
    {
        auto const layout =
            topology::generate(topology::fat_tree{.leaves = 252, .hosts_per_leaf = 39, .spines = 20, .cables = 1});
        std::ofstream out{file};
        out << topology::write_ibnetdiscover(layout.value());
    }
    measure(file);
    std::filesystem::remove(file);
}
