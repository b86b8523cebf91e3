// A server of subnet administration on one machine of a fabric, and clients on another.
#pragma once

#include "fabric/sa_world.hpp"

#include <madrigal/subnet/sa_server.hpp>

#include <boost/asio/co_spawn.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace madrigal::testing {

using waiting_status = asio::awaitable<std::uint16_t>;

/// The first other machine serves.
class sa_server_world : public sa_world {
protected:
    using sa_world::sa_world;
    ~sa_server_world() override
    {
        server.close();
        s->run_ready();
    }

    /// Opens a server and runs it.
    sa_server& open_server(sa_server_options const& options = sa_server_options{})
    {
        server = sa_server::open(others[0].at, options).value();
        run_server();
        return server;
    }
    void run_server()
    {
        ended.reset();
        asio::co_spawn(s->loop, server.run(), [this](std::exception_ptr const& thrown, error_code why) {
            EXPECT_FALSE(thrown);
            ended = why;
        });
        s->run_ready();
    }
    /// Has it serve all of `nodes`, by a plain handler.
    void serve_nodes()
    {
        server.serve<node_record>([this](sa_asked<node_record> const&, sa_records<node_record>& out) {
            ++asked_for_nodes;
            for (auto const& one : nodes)
                if (!out.add(one))
                    break;
            return mad_status::ok;
        });
    }
    /// The same by a coroutine.
    void serve_nodes_in_time()
    {
        server.serve<node_record>([this](sa_asked<node_record> const&, sa_records<node_record>& out) -> waiting_status {
            ++asked_for_nodes;
            for (auto const& one : nodes)
                if (!co_await out.yield(one))
                    break;
            co_return mad_status::ok;
        });
    }
    [[nodiscard]] auto get_node(guid wanted, sa_request_options const& how = {})
    {
        return s->run(client.async_get(by_guid(wanted), how, as_result));
    }
    [[nodiscard]] auto all_nodes(sa_request_options const& how = {})
    {
        return s->run(client.async_get_table(record_query<node_record>{}, how, as_result));
    }
    [[nodiscard]] static record_query<node_record> by_guid(guid wanted)
    {
        return record_query<node_record>{}.where<&node_record::info, &node_info::node_guid>(wanted);
    }
    /// The MAD status in a refused answer; 0 where it was a good one.
    template <class T>
    [[nodiscard]] static std::uint16_t status_of(result<T> const& answer)
    {
        return answer ? std::uint16_t{0} : mad_status_of(answer.error().code());
    }
    /// Nothing is left of any question.
    void expect_idle()
    {
        EXPECT_EQ(server.gauges().in_work, 0u);
        EXPECT_EQ(server.gauges().table_bytes, 0u);
        EXPECT_EQ(server.over().gauges().transfers, 0u);
    }

    std::vector<node_record> nodes;
    std::size_t asked_for_nodes = 0;
    sa_server server;
    std::optional<error_code> ended;
};

} // namespace madrigal::testing
