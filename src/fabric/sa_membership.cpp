#include <madrigal/fabric/sa_membership.hpp>

#include "fabric/sa_standing.hpp"

#include <boost/asio/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace madrigal {
namespace detail {
namespace {

asio::awaitable<void> run_join(
    std::shared_ptr<sa_core> of, std::shared_ptr<sa_joined> made, std::shared_ptr<sa_outcome<sa_membership>> outcome)
{
    co_await let_cancel();
    if (of->closed()) {
        outcome->why = errc::agent_closed;
        co_return;
    }
    outcome->why = co_await of->renew(made);
    if (!outcome->why.code() && !of->closed()) {
        of->keep(made);
        outcome->value = sa_membership{made};
    } else if (outcome->why == error_code{asio::error::operation_aborted}) {
        of->say_farewell(made->farewell(), [](error const&) {});
    } else if (!outcome->why.code()) {
        outcome->why = errc::agent_closed;
    }
}

} // namespace

sa_joined::sa_joined(
    std::shared_ptr<sa_core> of, record_query<mc_member_record> const& wanted, sa_request_options const& how)
    : sa_standing{std::move(of)},
      wanted_{wanted},
      how_{how},
      own_gid_{!wanted.mask().has(components<&mc_member_record::port_gid>)}
{
    if (!wanted_.mask().has(components<&mc_member_record::join_states>))
        wanted_.where<&mc_member_record::join_states>(flags<join_state>{join_state::full_member});
    record_ = wanted_.record();
}

sa_question sa_joined::request(umad::subnet_attributes const& now) const
{
    auto wanted = wanted_;
    if (own_gid_)
        wanted.where<&mc_member_record::port_gid>(now.first_gid);
    return make_sa_question(method::set, wanted, how_);
}

sa_question sa_joined::farewell() const
{
    auto const leaving = record_query<mc_member_record>{}
                             .where<&mc_member_record::mgid>(record_.mgid)
                             .where<&mc_member_record::port_gid>(record_.port_gid)
                             .where<&mc_member_record::join_states>(wanted_.record().join_states);
    return make_sa_question(method::delete_, leaving, how_);
}

error sa_joined::on_answer(received_mad const& answer)
{
    if (auto failed = sa_one_record<mc_member_record>::read(answer, record_); failed.code())
        return failed;
    // A new group may have got its MGID from subnet administration: it is this one that is joined again.
    wanted_.where<&mc_member_record::mgid>(record_.mgid);
    return {};
}

std::string sa_joined::name() const
{
    return fmt::format("the membership of {} through {}", to_string(record_.mgid), of().name());
}

asio::any_io_executor const& sa_loop(sa_joined const& of) noexcept
{
    return of.of().on().executor();
}

void sa_leave(std::shared_ptr<sa_joined> const& what, sa_waiter_ptr<sa_nothing> waiter)
{
    end_standing(what, std::move(waiter));
}

void sa_join(std::shared_ptr<sa_core> const& of, record_query<mc_member_record> const& wanted,
    sa_request_options const& how, sa_waiter_ptr<sa_membership> waiter, asio::cancellation_slot slot)
{
    auto outcome = std::make_shared<sa_outcome<sa_membership>>(std::move(waiter));
    auto made = std::make_shared<sa_joined>(of, wanted, how);
    run_for(sa_loop(*of), outcome, run_join(of, std::move(made), outcome), slot);
}

} // namespace detail

mc_member_record const& sa_membership::record() const noexcept
{
    return state_->record();
}

bool sa_membership::current() const noexcept
{
    return state_->told.has_value();
}

void sa_membership::leave() noexcept
{
    if (auto const state = std::exchange(state_, nullptr))
        detail::sa_leave(state, nullptr);
}

} // namespace madrigal
