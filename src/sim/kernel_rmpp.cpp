#include <sim/kernel_rmpp.hpp>

#include <sim/core.hpp>
#include <sim/kernel_file.hpp>

#include <cerrno>
#include <new>
#include <utility>
#include <vector>

namespace madrigal::sim {
namespace {

/// The kernel knows no number of transfers at which it stops. Of those that arrive the bytes allow less than this.
constexpr std::size_t no_limit = 100'000;

engine::rmpp_transfers_options options_of(kernel_agent const& agent)
{
    engine::rmpp_transfers_options options;
    options.receiving = engine::rmpp_receiver_options::linux_kernel();
    options.receiving.max_message = kernel_rmpp::most_bytes;
    options.max_question = kernel_rmpp::most_bytes;
    options.max_bytes = kernel_rmpp::most_bytes;
    options.max_answers = no_limit;
    options.max_questions = no_limit;
    options.max_questions_per_peer = no_limit;
    options.max_lingering = no_limit;
    options.max_outgoing = no_limit;
    options.max_answers_to_a_peer = no_limit;
    options.hash_seed = agent.upper;
    return options;
}

/// A message on its way out, charged to a budget for as long as it is there.
class charged_message {
public:
    explicit charged_message(std::shared_ptr<engine::rmpp_budget> budget) noexcept : budget_{std::move(budget)} {}
    charged_message(charged_message const&) = delete;
    charged_message& operator=(charged_message const&) = delete;
    ~charged_message() { budget_->give_back(charged_); }

    /// False where the budget does not allow it.
    [[nodiscard]] bool fill(std::span<std::byte const> with)
    {
        if (!budget_->try_take(with.size()))
            return false;
        charged_ = with.size();
        bytes_.assign(with.begin(), with.end());
        return true;
    }
    [[nodiscard]] std::span<std::byte> bytes() noexcept { return bytes_; }

private:
    std::shared_ptr<engine::rmpp_budget> budget_;
    std::size_t charged_ = 0;
    std::vector<std::byte> bytes_;
};

engine::rmpp_key key_of(kernel_send const& kept) noexcept
{
    mad_view const mad{kept.mad};
    return engine::rmpp_key::of(kept.header, mad, mad.method(), engine::rmpp_direction::outgoing);
}

} // namespace

kernel_rmpp::kernel_rmpp(core& of, kernel_file& file, kernel_agent const& agent)
    : core_{of},
      file_{file},
      agent_{agent},
      transfers_{options_of(agent)},
      sending_{std::make_shared<engine::rmpp_budget>(most_bytes)}
{
    kind = event_kind::rmpp_due;
}

kernel_rmpp::~kernel_rmpp()
{
    core_.events.remove(*this);
}

int kernel_rmpp::start(kernel_send& kept, std::span<std::byte const> message)
try {
    auto const owner = std::make_shared<charged_message>(sending_);
    if (!owner->fill(message))
        return ENOMEM;
    mutable_mad_view{owner->bytes()}.set_transaction_id(kept.transaction_id);
    auto const& header = kept.header;
    auto const begun =
        transfers_.start({.to = header,
                             .message = owner->bytes(),
                             .owner = owner,
                             .ticket = last_ticket_ + 1,
                             .options = engine::rmpp_sender_options::linux_kernel(header.timeout_ms, header.retries)},
            core_.now);
    switch (begun) {
    case engine::rmpp_transfers::started::yes:
        kept.ticket = ++last_ticket_;
        sends_.emplace(kept.ticket, &kept);
        return 0;
    case engine::rmpp_transfers::started::full: return ENOMEM;
    case engine::rmpp_transfers::started::present:
    case engine::rmpp_transfers::started::invalid: break;
    }
    return EINVAL;
} catch (std::bad_alloc const&) {
    return ENOMEM;
}

void kernel_rmpp::forget(kernel_send const& kept) noexcept
{
    sends_.erase(kept.ticket);
    (void)transfers_.abandon(key_of(kept));
}

void kernel_rmpp::receive(packet& one)
{
    (void)transfers_.on_packet(one.header, std::as_const(one).view(), core_.now);
    core_.packets.give_back(one);
    work();
}

void kernel_rmpp::work()
{
    // What is sent may come back within this very call, answered at once by a peer without latency.
    if (working_)
        return;
    struct turn {
        bool& working;
        explicit turn(bool& of) noexcept : working{of} { working = true; }
        turn(turn const&) = delete;
        turn& operator=(turn const&) = delete;
        ~turn() { working = false; }
    } const now_working{working_};
    for (;;) {
        engine::rmpp_packet next;
        while (transfers_.next_packet(next, core_.now))
            file_.send_segment(next.to, next.mad);
        while (auto happened = transfers_.next_event())
            tell(*happened);
        if (transfers_.next_deadline() > core_.now)
            break;
        transfers_.expire(core_.now);
    }
    core_.counts.retransmitted +=
        transfers_.counted().repeated - std::exchange(repeated_, transfers_.counted().repeated);
    schedule();
}

void kernel_rmpp::tell(engine::rmpp_event& what)
{
    using kind_of = engine::rmpp_event::kind;
    switch (what.what) {
    case kind_of::received: file_.take_message(agent_, what.peer, std::move(what.message)); break;
    case kind_of::receive_failed:
    case kind_of::arriving:
    case kind_of::room: break; // nobody is told
    case kind_of::sent:
    case kind_of::send_failed: {
        auto const found = sends_.find(what.ticket);
        if (found == sends_.end())
            break; // answered in the meantime
        auto& kept = *found->second;
        if (what.what == kind_of::sent)
            file_.transferred(kept);
        else
            file_.transfer_failed(kept, what.outcome.end == engine::rmpp_end::unanswered);
        break;
    }
    }
}

void kernel_rmpp::schedule()
{
    auto const next = transfers_.next_deadline();
    if (next == never)
        core_.events.remove(*this);
    else if (next != due_ || !queued())
        core_.events.push(*this, next);
    due_ = next;
}

} // namespace madrigal::sim
