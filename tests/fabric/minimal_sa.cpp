#include "fabric/minimal_sa.hpp"

#include <boost/asio/co_spawn.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace madrigal::testing {
namespace {

using bytes = std::vector<std::byte>;

/// What is answered: a status, and records of one size.
struct sa_reply {
    std::uint16_t status = mad_status::ok;
    bytes data{};
    std::size_t record_size = 0;
};

template <wire_layout T>
void append(bytes& to, T const& record, std::size_t stride)
{
    auto const at = to.size();
    to.resize(at + stride);
    (void)encode(record, std::span{to}.subspan(at));
}

template <wire_layout T>
sa_reply one(T const& record)
{
    sa_reply reply{.record_size = T::layout.size};
    append(reply.data, record, T::layout.size);
    return reply;
}

sa_reply refusal(std::uint16_t status)
{
    return {.status = status};
}

/// Components that no record here has a value for: how many paths are wanted, and what the selectors say.
template <wire_layout T>
record_query<T> without_wishes(record_query<T> const& of)
{
    auto mask = of.mask().value();
    if constexpr (std::same_as<T, path_record>)
        mask &= ~(components<&path_record::numb_path> | components<&path_record::mtu_selector> |
                  components<&path_record::rate_selector>)
                     .value();
    return {of.record(), component_mask<T>::from_value(mask)};
}

/// The records that a query means, components that do not count being wildcards; at most `limit`.
template <wire_layout T>
sa_reply find(method ask, record_query<T> const& wanted, std::vector<T> const& all, std::size_t limit)
{
    auto const query = without_wishes(wanted);
    sa_reply reply{.record_size = T::layout.size};
    std::size_t found = 0;
    for (auto const& record : all) {
        if (found == limit || !query.matches(record))
            continue;
        if (ask == method::get && ++found > 1)
            return refusal(mad_status::sa_too_many_records);
        if (ask != method::get)
            ++found;
        append(reply.data, record, ask == method::get ? T::layout.size : sa_record_stride(T::layout.size));
    }
    if (found == 0 && ask == method::get)
        return refusal(mad_status::sa_no_records);
    return reply;
}

umad::registration registration_for(minimal_sa_options const& options)
{
    auto wanted = umad::subnet_administration().serving(method::get, method::set, method::get_table, method::delete_);
    if (options.user_rmpp)
        wanted.flags |= umad::user_rmpp;
    return wanted;
}

} // namespace

struct minimal_sa::state {
    state(port on, std::shared_ptr<sa_tables> known, minimal_sa_options const& options)
        : where{std::move(on)},
          over{where.register_agent(registration_for(options), options.agent).value()},
          tables{std::move(known)}
    {}

    asio::awaitable<void> answer(request asked);
    asio::awaitable<void> send(request& asked, sa_reply reply);
    sa_reply look_up(request& asked);
    template <wire_layout T>
    sa_reply look_up_in(request& asked, std::vector<T>& all, std::size_t limit = static_cast<std::size_t>(-1)) const
    {
        auto const query = sa_view::from(asked.received().bytes())->query<T>();
        if (!query)
            return refusal(mad_status::sa_request_invalid);
        if (asked.method() != method::get && asked.method() != method::get_table)
            return refusal(mad_status::unsupported_method_attribute);
        return find(asked.method(), *query, all, limit);
    }
    sa_reply of_paths(request& asked);
    sa_reply of_services(request& asked);
    sa_reply of_members(request& asked);
    sa_reply inform(request& asked);

    port where;
    agent over;
    std::shared_ptr<sa_tables> tables;
    manner how;
    std::vector<heard_question> heard;
    std::vector<error_code> failed;
    std::uint16_t last_mlid = 0xC000;
};

node_record made_node(std::uint32_t number)
{
    constexpr std::uint32_t nodes_a_switch = 10;
    node_record made;
    made.base_lid = lid{static_cast<std::uint16_t>(number % max_unicast_lid.value() + 1)};
    made.info.base_version = 1;
    made.info.class_version = 1;
    made.info.type = number % nodes_a_switch == 0 ? node_type::switch_ : node_type::ca;
    made.info.num_ports = 1;
    made.info.node_guid = guid{0x1000'0000ULL + number};
    made.info.port_guid = guid{0x2000'0000ULL + number};
    made.description.description = fixed_text<64>{fmt::format("node {}", number)};
    return made;
}

std::vector<node_record> made_nodes(std::uint32_t count)
{
    std::vector<node_record> all;
    all.reserve(count);
    for (std::uint32_t i = 0; i != count; ++i)
        all.push_back(made_node(i));
    return all;
}

minimal_sa::minimal_sa(port const& on, minimal_sa_options const& options, std::shared_ptr<sa_tables> tables)
    : state_{std::make_shared<state>(on, std::move(tables), options)}
{
    auto const serve = [](std::shared_ptr<state> self) -> asio::awaitable<void> {
        co_await self->over.serve([self = self.get()](request asked) { return self->answer(std::move(asked)); });
    };
    asio::co_spawn(on.executor(), serve(state_), [](std::exception_ptr const& thrown) {
        if (thrown)
            std::rethrow_exception(thrown);
    });
}

minimal_sa::~minimal_sa()
{
    state_->over.close();
}

sa_tables& minimal_sa::tables() const noexcept
{
    return *state_->tables;
}

minimal_sa::manner& minimal_sa::how() const noexcept
{
    return state_->how;
}

std::vector<heard_question> const& minimal_sa::heard() const noexcept
{
    return state_->heard;
}

std::vector<error_code> const& minimal_sa::failed() const noexcept
{
    return state_->failed;
}

std::size_t minimal_sa::heard(method ask, std::uint16_t attribute) const
{
    return static_cast<std::size_t>(std::count_if(state_->heard.begin(), state_->heard.end(),
        [&](auto const& one) { return one.ask == ask && one.attribute_id == attribute; }));
}

void minimal_sa::forget() const
{
    state_->tables->subscriptions.clear();
    state_->tables->members.clear();
}

asio::awaitable<std::size_t> minimal_sa::tell(notice_report what)
{
    auto const self = state_;
    auto const subscribers = self->tables->subscriptions;
    std::size_t answered = 0;
    for (auto const& one : subscribers) {
        if (!is_informed(one.wanted, what))
            continue;
        raw_mad report{one.who, {}};
        build_sa_request(report.bytes, {.method_of_mad = method::report}, attribute_id::notice, 0);
        (void)encode(what, std::span{report.bytes}.subspan(sa_data_offset));
        auto const answer = co_await self->over.async_request(report, request_options{}, as_result);
        if (answer && answer.value().mad().method() == method::report_response)
            ++answered;
    }
    co_return answered;
}

asio::awaitable<void> minimal_sa::state::answer(request asked)
{
    auto const view = sa_view::from(asked.received().bytes());
    if (!view)
        throw std::runtime_error{"subnet administration was sent something short"};
    heard_question note{.at = where.time().now(),
        .ask = asked.method(),
        .attribute_id = asked.mad().attribute_id(),
        .mask = view->component_mask(),
        .sm_key = view->sm_key(),
        .sl = asked.received().address().sl,
        .source = asked.source(),
        .transaction_id = asked.mad().transaction_id()};
    std::copy_n(view->data().begin(), std::min(view->data().size(), note.data.size()), note.data.begin());
    heard.push_back(note);
    if (how.silent)
        co_return;
    if (how.busy != 0) {
        --how.busy;
        co_await send(asked, refusal(mad_status::busy));
    } else if (how.redirect && how.redirections != 0) {
        --how.redirections;
        auto reply = one(*how.redirect);
        reply.status = mad_status::redirect_required;
        co_await send(asked, std::move(reply));
    } else if (how.status != 0) {
        co_await send(asked, refusal(how.status));
    } else {
        co_await send(asked, look_up(asked));
    }
}

sa_reply minimal_sa::state::look_up(request& asked)
{
    switch (asked.mad().attribute_id()) {
    case attribute_id::node_record: return look_up_in(asked, tables->nodes);
    case attribute_id::port_info_record: return look_up_in(asked, tables->port_infos);
    case attribute_id::link_record: return look_up_in(asked, tables->links);
    case attribute_id::path_record: return of_paths(asked);
    case attribute_id::service_record: return of_services(asked);
    case attribute_id::mc_member_record: return of_members(asked);
    case attribute_id::inform_info: return inform(asked);
    case attribute_id::class_port_info: return one(how.class_info.value_or(class_port_info{1, 2}));
    default: return refusal(mad_status::unsupported_method_attribute);
    }
}

sa_reply minimal_sa::state::of_paths(request& asked)
{
    auto const query = sa_view::from(asked.received().bytes())->query<path_record>();
    bool const counted = query && query->mask().has(components<&path_record::numb_path>);
    // A subnet manager that insists.
    if (asked.method() == method::get_table && !counted)
        return refusal(mad_status::sa_insufficient_components);
    return look_up_in(asked, tables->paths, counted ? query->record().numb_path : static_cast<std::size_t>(-1));
}

sa_reply minimal_sa::state::of_services(request& asked)
{
    auto const query = sa_view::from(asked.received().bytes())->query<service_record>();
    if (!query || asked.method() == method::get || asked.method() == method::get_table)
        return look_up_in(asked, tables->services);
    auto& all = tables->services;
    auto const& wanted = query->record();
    auto const place = std::find_if(all.begin(), all.end(), [&](auto const& one) {
        return one.service_id == wanted.service_id && one.service_gid == wanted.service_gid &&
               one.service_p_key == wanted.service_p_key;
    });
    if (asked.method() == method::set) {
        if (place == all.end())
            all.push_back(wanted);
        else
            *place = wanted;
        return one(wanted);
    }
    if (place == all.end())
        return refusal(mad_status::sa_no_records);
    auto const reply = one(*place);
    all.erase(place);
    return reply;
}

sa_reply minimal_sa::state::of_members(request& asked)
{
    auto const query = sa_view::from(asked.received().bytes())->query<mc_member_record>();
    if (!query || asked.method() == method::get || asked.method() == method::get_table)
        return look_up_in(asked, tables->members);
    auto record = query->record();
    auto const needed = components<&mc_member_record::mgid> | components<&mc_member_record::port_gid> |
                        components<&mc_member_record::join_states>;
    auto const own = where.query_subnet().value().first_gid;
    if (record.port_gid.subnet_prefix() != own.subnet_prefix())
        return refusal(mad_status::sa_invalid_gid);
    if (record.join_states.empty())
        return refusal(mad_status::sa_request_invalid);
    auto& all = tables->members;
    auto const place = std::find_if(all.begin(), all.end(),
        [&](auto const& one) { return one.mgid == record.mgid && one.port_gid == record.port_gid; });
    if (asked.method() == method::delete_) {
        if (place == all.end() || !query->mask().has(needed))
            return refusal(mad_status::sa_request_invalid);
        auto const reply = one(*place);
        all.erase(place);
        return reply;
    }
    if (record.mgid == gid{}) // a new group, of a name that is chosen here
        record.mgid = gid{0xFF12'A01B'0000'0000, guid{++last_mlid}};
    auto const group = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.mgid == record.mgid; });
    record.mlid = group == all.end() ? lid{++last_mlid} : group->mlid;
    record.q_key = group == all.end() ? 0xB1B : group->q_key;
    if (place == all.end())
        all.push_back(record);
    else
        *place = record;
    return one(record);
}

sa_reply minimal_sa::state::inform(request& asked)
{
    auto const wanted = asked.attribute<inform_info>();
    if (!wanted || asked.method() != method::set)
        return refusal(mad_status::sa_request_invalid);
    auto same = *wanted;
    same.subscribe = 1;
    same.qpn = 0;
    auto const from = asked.received().reply_to();
    auto& all = tables->subscriptions;
    auto const known =
        std::erase_if(all, [&](auto const& one) { return one.who.to_lid() == from.to_lid() && one.wanted == same; });
    if (wanted->subscribe == 1)
        all.push_back({from, same});
    else if (known == 0 || wanted->qpn != 1)
        return refusal(mad_status::sa_request_invalid);
    return one(*wanted);
}

asio::awaitable<void> minimal_sa::state::send(request& asked, sa_reply reply)
{
    auto const mad = asked.answer();
    bool const table = asked.method() == method::get_table;
    if (table && reply.status == 0 && reply.data.empty() && how.empty_tables_have_status)
        reply.status = mad_status::sa_no_records;
    if (how.redirects_as_class_port_info && (reply.status & mad_status::redirect_required) != 0)
        mad.set_attribute_id(attribute_id::class_port_info);
    auto const stride = table && !reply.data.empty() ? sa_record_stride(reply.record_size) : 0;
    store_bits<352, 16>(mad.bytes().data(), how.attribute_offset.value_or(stride / sa_record_step));
    reply.data.resize(reply.data.size() - std::min(how.cut, reply.data.size()));
    if (how.answers_with_get_response) {
        raw_mad answer{asked.received().reply_to(), {}};
        std::copy_n(mad.bytes().begin(), mad_size, answer.bytes.begin());
        mutable_mad_view{answer.bytes}.set_method(method::get_response);
        (void)co_await over.async_send(answer, as_result);
        co_return;
    }
    auto const sent = co_await asked.reply_with(reply.data, reply.status);
    if (!sent)
        failed.push_back(sent.error().code());
}

} // namespace madrigal::testing
