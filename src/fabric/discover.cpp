#include <madrigal/fabric/discover.hpp>

#include <fabric/sweep.hpp>

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace madrigal {
namespace {

/// More would only fill memory: no adapter's receive queue takes so many answers.
constexpr unsigned most_outstanding = 65'536;

error check(discover_options const& options)
{
    if (options.outstanding == 0 || options.outstanding > most_outstanding)
        return error{errc::invalid_argument, "discover: outstanding must be 1 to 65536"};
    if (options.max_nodes == 0)
        return error{errc::invalid_argument, "discover: the local node is one node"};
    if (options.attempts == 0)
        return error{errc::invalid_argument, "discover: a question must be asked at least once"};
    if (options.timeout < std::chrono::milliseconds{1})
        return error{errc::invalid_argument, "discover: the timeout must be 1 ms at least"};
    return {};
}

} // namespace

asio::awaitable<result<discovery>> discover(smp_client over, discover_options options)
{
    if (auto const wrong = check(options); wrong.code())
        co_return wrong;
    auto const executor = co_await asio::this_coro::executor;
    detail::sweep one{std::move(over), std::move(options), executor};
    co_return co_await one.run();
}

asio::awaitable<result<discovery>> discover(port on, discover_options options)
{
    if (auto const wrong = check(options); wrong.code())
        co_return wrong;
    smp_options how;
    how.outstanding = options.outstanding;
    how.per_destination = options.per_destination;
    how.timeout = options.timeout;
    how.retries = options.retries;
    auto opened = smp_client::open(on, how);
    if (!opened)
        co_return opened.error();
    co_return co_await discover(std::move(opened).value(), std::move(options));
}

} // namespace madrigal
