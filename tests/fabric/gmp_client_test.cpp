// Questions to agents behind QP1, some of which send their clients elsewhere.
#include "runtime/simulated.hpp"

#include <madrigal/fabric/gmp_client.hpp>
#include <madrigal/wire/attributes/b_key_info.hpp>
#include <madrigal/wire/attributes/class_port_info.hpp>

#include <boost/asio/detached.hpp>

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace madrigal::testing {
namespace {

using ::testing::HasSubstr;

umad::registration baseboard(bool serving)
{
    umad::registration const as{.management_class = static_cast<std::uint8_t>(management_class::baseboard)};
    return serving ? as.serving(method::get) : as;
}

/// A machine whose agent of the baseboard class answers, redirects or keeps silent.
struct desk {
    desk(simulated& s, std::uint64_t node) : host{sim::host::make(s.fabric, to_string(guid{node})).value()}
    {
        on_loop = std::make_unique<reactor>(s.loop, *host, reactor_options{.time = &s.time});
        at = on_loop->open().value();
        server = at.register_agent(baseboard(true)).value();
        asio::co_spawn(s.loop, server.serve([this](request one) -> asio::awaitable<void> {
            ++asked;
            last_sl = one.received().address().sl;
            if (silent)
                co_return;
            if (redirect)
                (void)one.answer().set_attribute(*redirect);
            (void)co_await one.reply(redirect ? mad_status::redirect_required : status);
        }),
            asio::detached);
    }
    [[nodiscard]] lid own_lid() const { return at.attributes().base_lid; }

    std::shared_ptr<sim::host> host;
    std::unique_ptr<reactor> on_loop;
    port at;
    agent server;
    std::optional<class_port_info> redirect;
    std::uint16_t status = mad_status::ok;
    bool silent = false;
    unsigned asked = 0;
    unsigned last_sl = 0;
};

class GmpClient : public ::testing::Test {
protected:
    GmpClient()
    {
        std::vector<std::uint64_t> others;
        for (auto const& node : s.fabric->layout().nodes())
            if (node.type == node_type::ca)
                others.push_back(node.node_guid.value());
        for (std::size_t i = 1; i != others.size(); ++i)
            desks.push_back(std::make_unique<desk>(s, others[i]));
        own = s.on_loop->open().value();
        gmp_options options;
        options.timeout = 100ms;
        options.retries = 0;
        client = gmp_client::open(own, baseboard(false), options).value();
    }
    ~GmpClient() override
    {
        for (auto const& one : desks)
            one->server.close();
        client.close();
        s.run_out();
    }
    result<received_mad> ask(destination const& to)
    {
        return s.run(client.ask(client.question(to, method::get, b_key_info::layout.id, 0)));
    }
    static class_port_info to_lid(lid there)
    {
        class_port_info info;
        info.redirect_lid = there;
        info.redirect_qp = 1;
        info.redirect_q_key = gsi_qkey;
        info.redirect_p_key = 0xFFFF;
        return info;
    }
    desk& first() { return *desks.at(0); }
    desk& second() { return *desks.at(1); }
    desk& third() { return *desks.at(2); }

    simulated s{small_tree(), configured()};
    std::vector<std::unique_ptr<desk>> desks;
    port own;
    gmp_client client;
};

TEST_F(GmpClient, GivesAnAnswerAndNamesARefusal)
{
    EXPECT_TRUE(ask(first().own_lid()));
    EXPECT_EQ(first().asked, 1u);
    first().status = mad_status::invalid_value;
    auto const refused = ask(first().own_lid());
    ASSERT_FALSE(refused);
    EXPECT_EQ(mad_status_of(refused.error().code()), mad_status::invalid_value);
    EXPECT_THAT(refused.error().message(), HasSubstr("Get(B_KeyInfo) of LID " + to_string(first().own_lid())));
    first().silent = true;
    EXPECT_EQ(ask(first().own_lid()).error(), errc::timeout);
}

TEST_F(GmpClient, RefusesSubnetManagement)
{
    EXPECT_EQ(gmp_client::open(own, umad::subnet_lid_routed()).error(), errc::invalid_argument);
}

TEST_F(GmpClient, FollowsARedirectionAndRemembersIt)
{
    first().redirect = to_lid(second().own_lid());
    first().redirect->redirect_sl = 3;
    auto const answer = ask(first().own_lid());
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().source(), second().own_lid());
    EXPECT_EQ(second().last_sl, 3u);
    EXPECT_EQ(client.goes_to(first().own_lid()).to_lid(), second().own_lid());
    EXPECT_TRUE(ask(first().own_lid()));
    EXPECT_EQ(first().asked, 1u) << "the second question goes there at once";
    EXPECT_EQ(second().asked, 2u);
    EXPECT_TRUE(ask(third().own_lid())) << "another destination is not concerned";
    EXPECT_EQ(third().asked, 1u);
    client.forget(first().own_lid());
    EXPECT_TRUE(ask(first().own_lid()));
    EXPECT_EQ(first().asked, 2u);
}

TEST_F(GmpClient, FollowsSeveralRedirectionsButNotForEver)
{
    first().redirect = to_lid(second().own_lid());
    second().redirect = to_lid(third().own_lid());
    EXPECT_TRUE(ask(first().own_lid()));
    EXPECT_EQ(third().asked, 1u);
    client.forget(first().own_lid());

    second().redirect = to_lid(first().own_lid());
    first().asked = second().asked = 0;
    auto const lost = ask(first().own_lid());
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error(), errc::too_many_redirections);
    EXPECT_THAT(lost.error().message(), HasSubstr("Get(B_KeyInfo) of LID " + to_string(first().own_lid())));
    EXPECT_EQ(first().asked + second().asked, gmp_redirection_limit + 1);
    EXPECT_EQ(client.goes_to(first().own_lid()).to_lid(), first().own_lid()) << "nothing is remembered of it";
}

TEST_F(GmpClient, TurnsBackWhenNobodyAnswersThereAnyMore)
{
    first().redirect = to_lid(second().own_lid());
    ASSERT_TRUE(ask(first().own_lid()));
    second().silent = true;
    first().redirect = to_lid(third().own_lid());
    auto const answer = ask(first().own_lid());
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer.value().source(), third().own_lid());
    EXPECT_EQ(first().asked, 2u);

    // One that sends its clients to somebody silent is asked once more, and then it is over.
    first().redirect = to_lid(second().own_lid());
    third().silent = true;
    first().asked = second().asked = 0;
    auto const lost = ask(first().own_lid());
    EXPECT_EQ(lost.error(), errc::timeout);
    EXPECT_THAT(lost.error().message(), HasSubstr("redirected to LID " + to_string(second().own_lid()) + " QP 1"));
    EXPECT_EQ(first().asked, 1u);
    EXPECT_EQ(second().asked, 1u);
    EXPECT_EQ(client.goes_to(first().own_lid()).to_lid(), first().own_lid());
}

TEST_F(GmpClient, AsksTheQueuePairWithTheKeyThatTheRedirectionNames)
{
    first().redirect = to_lid(second().own_lid());
    first().redirect->redirect_q_key = 0x1234;
    EXPECT_EQ(ask(first().own_lid()).error(), errc::timeout);
    EXPECT_GE(s.fabric->counters().drops(sim::drop_reason::q_key), 1u);
    first().redirect->redirect_q_key = 0; // QP1 has one only
    EXPECT_TRUE(ask(first().own_lid()));
    client.forget(first().own_lid());
    first().redirect->redirect_qp = 0x4711;
    auto const before = s.fabric->counters().drops(sim::drop_reason::malformed);
    EXPECT_EQ(ask(first().own_lid()).error(), errc::timeout);
    EXPECT_GT(s.fabric->counters().drops(sim::drop_reason::malformed), before) << "nobody has that queue pair";
}

TEST_F(GmpClient, NamesWhatItCannotFollow)
{
    first().redirect = to_lid(lid{});
    first().redirect->redirect_gid = gid{0xFE80'0000'0000'0000, guid{5}};
    auto const to_gid = ask(first().own_lid());
    EXPECT_EQ(to_gid.error(), errc::redirected_to_gid);
    EXPECT_THAT(to_gid.error().message(), HasSubstr("GID fe80:0000:0000:0000:0000:0000:0000:0005"));
    first().redirect = to_lid(second().own_lid());
    first().redirect->redirect_qp = 0;
    EXPECT_EQ(ask(first().own_lid()).error(), errc::unusable_redirection);
    first().redirect = to_lid(second().own_lid());
    first().redirect->redirect_p_key = 0x8123;
    auto const no_key = ask(first().own_lid());
    EXPECT_EQ(no_key.error(), errc::unusable_redirection);
    EXPECT_THAT(no_key.error().message(), HasSubstr("P_Key 0x8123"));
    EXPECT_EQ(second().asked, 0u);
}

} // namespace
} // namespace madrigal::testing
