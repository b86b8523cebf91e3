// A client of subnet administration that stays: hears of ports that come and go, and is a member of a multicast group.
//
//     madrigal_interop_member HOST     prints what happens, a line each; leaves at the end of standard input
#include "interop/on_port.hpp"

#include <madrigal/fabric/sa_client.hpp>
#include <madrigal/wire/attributes/mc_member_record.hpp>
#include <madrigal/wire/trap.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <variant>

#include <unistd.h>

namespace madrigal {
namespace {

/// The group of IPoIB's broadcasts in the default partition, which OpenSM makes by itself.
constexpr gid broadcast{0xFF12'401B'FFFF'0000, guid{0xFFFF'FFFF}};

template <class... Values>
void say(fmt::format_string<Values...> text, Values&&... values)
{
    fmt::print(text, std::forward<Values>(values)...);
    std::fflush(stdout);
}

asio::awaitable<void> print_reports(sa_subscription const& from)
{
    for (;;) {
        auto const told = co_await from.async_receive(as_result);
        if (!told)
            co_return;
        auto const& report = told.value();
        auto const details = decode_trap(report.is_generic, report.trap_number, report.data_details);
        auto const* const about = details ? std::get_if<gid_trap>(&*details) : nullptr;
        say("report {} {}\n", report.trap_number, about != nullptr ? to_string(about->address) : "");
    }
}

/// Until nobody writes to standard input any more.
asio::awaitable<void> wait_for_the_end()
{
    asio::posix::stream_descriptor input{co_await asio::this_coro::executor, ::dup(STDIN_FILENO)};
    char ignored = 0;
    error_code failed;
    while (!failed)
        co_await input.async_read_some(asio::buffer(&ignored, 1), asio::redirect_error(asio::use_awaitable, failed));
}

asio::awaitable<result<void>> take_part(port on)
{
    BOOST_OUTCOME_CO_TRY(auto const sa, sa_client::open(on));
    BOOST_OUTCOME_CO_TRY(
        auto gone, co_await sa.async_subscribe(inform_about(trap_number::gid_out_of_service), {}, as_result));
    BOOST_OUTCOME_CO_TRY(
        auto come, co_await sa.async_subscribe(inform_about(trap_number::gid_in_service), {}, as_result));
    auto const loop = co_await asio::this_coro::executor;
    auto const rethrow = [](std::exception_ptr const& thrown) {
        if (thrown)
            std::rethrow_exception(thrown);
    };
    asio::co_spawn(loop, print_reports(gone), rethrow);
    asio::co_spawn(loop, print_reports(come), rethrow);
    auto const group = record_query<mc_member_record>{}.where<&mc_member_record::mgid>(broadcast);
    BOOST_OUTCOME_CO_TRY(auto member, co_await sa.async_join(group, {}, as_result));
    say("joined {:#x}\n", member.record().mlid.value());
    co_await wait_for_the_end();
    BOOST_OUTCOME_CO_TRY(co_await member.async_leave(as_result));
    BOOST_OUTCOME_CO_TRY(co_await gone.async_close(as_result));
    BOOST_OUTCOME_CO_TRY(co_await come.async_close(as_result));
    say("left\n");
    co_return outcome::success();
}

asio::awaitable<int> exit_code_of(port on)
{
    auto const done = co_await take_part(on);
    co_return done ? 0 : interop::fail(done.error());
}

} // namespace
} // namespace madrigal

int main(int argc, char** argv)
{
    if (argc == 2)
        return madrigal::interop::on_port(argv[1], madrigal::exit_code_of);
    fmt::print(stderr, "Usage: madrigal_interop_member HOST\n");
    return 2;
}
