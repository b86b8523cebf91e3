// What it costs to read and write MADs.
#include <madrigal/wire/attributes/node_info.hpp>
#include <madrigal/wire/attributes/port_info.hpp>
#include <madrigal/wire/smp.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace madrigal {
namespace {

/// Bytes without a pattern, so that no field is trivially zero.
template <std::size_t Size>
std::array<std::byte, Size> some_bytes()
{
    std::array<std::byte, Size> bytes{};
    std::uint32_t state = 12345;
    for (auto& byte : bytes) {
        state = state * 1'664'525 + 1'013'904'223;
        byte = static_cast<std::byte>(state >> 24);
    }
    return bytes;
}

template <class Attribute>
void decode_attribute(benchmark::State& state)
{
    auto bytes = some_bytes<Attribute::layout.size>();
    for (auto _ : state) {
        benchmark::DoNotOptimize(bytes);
        auto value = decode<Attribute>(bytes);
        benchmark::DoNotOptimize(value);
    }
}
BENCHMARK_TEMPLATE(decode_attribute, node_info)->Name("wire/decode/NodeInfo");
BENCHMARK_TEMPLATE(decode_attribute, port_info)->Name("wire/decode/PortInfo");

template <class Attribute>
void encode_attribute(benchmark::State& state)
{
    auto value = decode<Attribute>(some_bytes<Attribute::layout.size>()).value();
    std::array<std::byte, Attribute::layout.size> bytes{};
    for (auto _ : state) {
        benchmark::DoNotOptimize(value);
        bool const fits = encode(value, bytes);
        benchmark::DoNotOptimize(fits);
        benchmark::DoNotOptimize(bytes);
    }
}
BENCHMARK_TEMPLATE(encode_attribute, node_info)->Name("wire/encode/NodeInfo");
BENCHMARK_TEMPLATE(encode_attribute, port_info)->Name("wire/encode/PortInfo");

/// What deciding where an answer belongs takes from its header.
void read_header(benchmark::State& state)
{
    auto bytes = some_bytes<mad_size>();
    for (auto _ : state) {
        benchmark::DoNotOptimize(bytes);
        mad_view const mad{bytes};
        auto sum = mad.transaction_id() + mad.attribute_id() + mad.attribute_modifier() +
                   static_cast<std::uint64_t>(mad.mgmt_class()) + (mad.is_response() ? 1U : 0U);
        benchmark::DoNotOptimize(sum);
    }
}
BENCHMARK(read_header)->Name("wire/header/read");

void write_transaction_id(benchmark::State& state)
{
    auto bytes = some_bytes<mad_size>();
    std::uint64_t id = 0;
    for (auto _ : state) {
        mutable_mad_view{bytes}.set_transaction_id(++id);
        benchmark::DoNotOptimize(bytes);
    }
}
BENCHMARK(write_transaction_id)->Name("wire/header/write_transaction_id");

void build_directed(benchmark::State& state)
{
    std::array<std::byte, mad_size> bytes{};
    directed_route route{0, 1, 2, 3, 4};
    std::uint64_t id = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(route);
        build_directed_route_smp(bytes, method::get, ++id, port_info::layout.id, 1, 0, route);
        benchmark::DoNotOptimize(bytes);
    }
}
BENCHMARK(build_directed)->Name("wire/build_directed_route_smp");

} // namespace
} // namespace madrigal
