// All RMPP transfers of an agent, both ways, within a fixed bound of memory.
#pragma once

#include <madrigal/engine/deadline_wheel.hpp>
#include <madrigal/engine/rmpp_key.hpp>
#include <madrigal/engine/rmpp_receiver.hpp>
#include <madrigal/engine/rmpp_sender.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace madrigal::engine {

/// How many transfers an agent has, and what they may take.
struct rmpp_transfers_options {
    rmpp_receiver_options receiving{};
    /// Answers that arrive at a time.
    std::size_t max_answers = 1024;
    /// Questions that arrive at a time, from all peers and from each.
    std::size_t max_questions = 256;
    std::size_t max_questions_per_peer = 16;
    /// The longest question that is taken; of answers `receiving` says it.
    std::size_t max_question = std::size_t{256} << 10;
    /// Incoming transfers that have ended and may still have to answer for it.
    std::size_t max_lingering = 4096;
    /// Outgoing transfers, and those of them that are answers to one LID: whoever asks chooses its QPs and GIDs.
    std::size_t max_outgoing = 1024;
    std::size_t max_answers_to_a_peer = 64;
    /// Data of all incoming messages together, those not consumed yet included.
    std::size_t max_bytes = std::size_t{256} << 20;
    /// A transfer that has been idle for so long may have to give way to another one.
    duration evictable_after = std::chrono::seconds{1};
    /// Tell of data before its transfer has ended (`rmpp_event::arriving`).
    bool announce_data = false;
    /// Anything a peer cannot guess.
    std::uint64_t hash_seed = 0;
};

/// A packet to be written.
struct rmpp_packet {
    umad::ib_user_mad_hdr to{};
    std::array<std::byte, mad_size> mad{};
};

/// A message to be sent.
struct rmpp_outgoing {
    /// As it is written before each packet: destination, Q_Key, P_Key index, agent.
    umad::ib_user_mad_hdr to{};
    /// Headers and data; see `rmpp_sender`.
    std::span<std::byte const> message{};
    /// Instead of it, a message that is still being made; see `rmpp_transfers::grown`.
    std::shared_ptr<growing_message> growing{};
    /// What keeps the message alive.
    std::shared_ptr<void const> owner{};
    /// Whatever the user needs to know it again.
    std::uint64_t ticket = 0;
    /// `first_window` is taken from the question's transfer where the message is an answer to one.
    rmpp_sender_options options{};
};

/// What has become of a transfer.
struct rmpp_event {
    /// What has happened.
    enum class kind : std::uint8_t {
        received,       ///< `message` is whole
        receive_failed, ///< `outcome` says why; `message` has its headers alone
        arriving,       ///< `rmpp_transfers::arriving` has data; told once, and again after it has been asked
        room,           ///< a message that is still being made has room; told once, after `grown` has found it full
        sent,           ///< all of it is acknowledged
        send_failed,    ///< `outcome` says why
    };
    kind what{};
    rmpp_outcome outcome{};
    rmpp_key key{};
    umad::ib_user_mad_hdr peer{}; ///< of an incoming transfer's first segment, or what the outgoing one was given
    std::uint64_t ticket = 0;     ///< of an outgoing transfer
    rmpp_message message{};       ///< of an incoming transfer
};

/// The transfers of one agent, without I/O and without a clock. What arrives goes to `on_packet`; after this and after
/// every other call that changes something, `next_packet` gives what is to be written, as many at a time as the writer
/// likes, and `next_event` what has ended. Belongs to one thread; messages may be given away.
///
/// **When it is full.** Questions and answers have places of their own, so that strangers cannot keep out what has been
/// asked for. A newcomer without a place gets that of the transfer of its kind that has been idle longest, if it has
/// been for `evictable_after`; else it is refused with a STOP. One peer cannot take the places of all questions, nor,
/// by asking and not acknowledging, those of all answers that go out. Where the bytes of all are used up, idle
/// questions give way first, then, to answers only, idle answers; the transfer that still finds no room is stopped. Who
/// has to give way is told so with a STOP. Ended transfers that linger give way without a word: at worst a peer misses
/// an ACK.
class rmpp_transfers {
public:
    /// Without a budget, `max_bytes` is this agent's alone. Questions may have a budget of their own, so that those of
    /// a moment, however many, leave answers theirs.
    explicit rmpp_transfers(rmpp_transfers_options const& options, std::shared_ptr<rmpp_budget> budget = nullptr,
        std::shared_ptr<rmpp_budget> questions = nullptr);
    rmpp_transfers(rmpp_transfers const&) = delete;
    rmpp_transfers& operator=(rmpp_transfers const&) = delete;
    ~rmpp_transfers();

    /// What `start` says.
    enum class started : std::uint8_t {
        yes,
        full,    ///< as many transfers go out as may, or as many answers to this peer
        present, ///< one with this peer, transaction and class goes out already
        invalid, ///< a class without RMPP, a message without its headers, or one of more than 2^32 segments
    };
    /// Begins to send a message.
    [[nodiscard]] started start(rmpp_outgoing const& what, time_point now);

    /// The message of this outgoing transfer has grown, or is finished. False if there is none.
    bool grown(rmpp_key const& key, time_point now);

    /// A MAD that has been read. False if it is no packet of a transfer, and so somebody else's. With `may_begin` false
    /// it begins none: nobody has asked for it, or nobody serves it. One that it begins may be longer than what may be
    /// held where it is `consumed_as_it_comes`.
    bool on_packet(umad::ib_user_mad_hdr const& from, mad_view mad, time_point now, bool may_begin = true,
        bool consumed_as_it_comes = false);

    /// The next packet to be written now; false if there is none. Outgoing transfers take turns.
    [[nodiscard]] bool next_packet(rmpp_packet& into, time_point now);
    /// Of these only an answer to the peer: ACK, STOP or ABORT.
    [[nodiscard]] bool next_reply(rmpp_packet& into);
    /// The next thing that has happened; nothing if there is none. To be asked after each call: new transfers are
    /// refused while more events wait than there are places.
    [[nodiscard]] std::optional<rmpp_event> next_event();

    /// When `expire` has something to do; `never` if nothing is under way.
    [[nodiscard]] time_point next_deadline() const noexcept { return wheel_.next(); }
    /// Does what is due: sends again, gives up, forgets. At most `budget` transfers at a time.
    void expire(time_point now, std::size_t budget = deadline_wheel::unlimited);

    /// Data of a transfer that has not ended, to be read and consumed; nullptr if there is none.
    [[nodiscard]] rmpp_message* arriving(rmpp_key const& key) noexcept;
    /// There is such a transfer, or it has ended and still answers for its past.
    [[nodiscard]] bool knows(rmpp_key const& key) noexcept
    {
        return find_incoming(key) != nullptr || find_outgoing(key) != nullptr;
    }
    /// Ends a transfer with an ABORT to the peer and without an event; false if there is none, or it has ended.
    bool cancel(rmpp_key const& key, time_point now);
    /// Forgets an outgoing transfer, whether it has ended or not, without an event and without a word to the peer, as a
    /// kernel does whose send is answered or cancelled. False if there is none.
    bool abandon(rmpp_key const& key) noexcept;

    /// What has happened since the beginning.
    struct counters {
        std::uint64_t refused = 0;       ///< newcomers for which there was no place
        std::uint64_t evicted = 0;       ///< transfers that had to give way
        std::uint64_t unmatched = 0;     ///< packets of no transfer
        std::uint64_t malformed = 0;     ///< packets shorter than a MAD, or DATA that contradicts itself
        std::uint64_t replies_lost = 0;  ///< ACKs and ABORTs dropped because nobody wrote them
        std::uint64_t segments_sent = 0; ///< DATA, repetitions included
        std::uint64_t repeated = 0;      ///< DATA sent again, of ended transfers
    };
    [[nodiscard]] counters const& counted() const noexcept { return counters_; }
    /// Incoming transfers that have not ended, incoming ones that have, and outgoing ones.
    [[nodiscard]] std::size_t incoming() const noexcept { return questions_.size() + answers_.size(); }
    [[nodiscard]] std::size_t lingering() const noexcept { return lingering_.size(); }
    [[nodiscard]] std::size_t outgoing() const noexcept { return outgoing_.size(); }
    [[nodiscard]] rmpp_budget const& budget() const noexcept { return *budget_; }
    /// No more bytes than these will ever be taken, whatever the peers do; messages to be sent, which are the user's,
    /// and those taken from events are not counted. An estimate from above.
    [[nodiscard]] std::size_t memory_limit() const noexcept;

private:
    struct transfer : deadline_node {
        explicit transfer(rmpp_direction which) noexcept : direction{which} {}
        rmpp_direction direction;
    };
    struct incoming_transfer;
    struct outgoing_transfer;
    using incoming_list = std::list<incoming_transfer*>;
    using outgoing_list = std::list<outgoing_transfer*>;

    struct incoming_transfer : transfer {
        incoming_transfer(rmpp_receiver_options const& options, std::shared_ptr<rmpp_budget> budget,
            umad::ib_user_mad_hdr const& header, time_point now)
            : transfer{rmpp_direction::incoming}, machine{options, std::move(budget), now}, from{header}
        {}
        rmpp_receiver machine;
        umad::ib_user_mad_hdr from;
        rmpp_key const* key = nullptr;
        incoming_list::iterator place; // in questions_ or answers_ (longest idle first), then in lingering_
        bool announced = false;
    };
    struct outgoing_transfer : transfer {
        outgoing_transfer(rmpp_outgoing const& what, rmpp_sender_options const& options, time_point now)
            : transfer{rmpp_direction::outgoing},
              machine{
                  what.growing ? rmpp_sender{options, *what.growing, now} : rmpp_sender{options, what.message, now}},
              to{what.to},
              owner{what.owner},
              growing{what.growing},
              ticket{what.ticket},
              expects_answer{options.expects_answer},
              wants_room{what.growing && what.growing->room() == 0}
        {}
        rmpp_sender machine;
        umad::ib_user_mad_hdr to;
        std::shared_ptr<void const> owner;
        std::shared_ptr<growing_message> growing;
        std::uint64_t ticket;
        bool expects_answer;
        rmpp_key const* key = nullptr;
        outgoing_list::iterator place; // in ready_ if it has a segment to be sent, else in resting_
        bool is_ready = false;
        bool wants_room = false;
    };

    [[nodiscard]] incoming_transfer* find_incoming(rmpp_key const& key) noexcept;
    [[nodiscard]] outgoing_transfer* find_outgoing(rmpp_key const& key) noexcept;
    [[nodiscard]] incoming_list& places_of(incoming_transfer const& one) noexcept;

    void begin(umad::ib_user_mad_hdr const& from, mad_view mad, rmpp_header const& header, rmpp_key const& key,
        time_point now, bool consumed_as_it_comes);
    [[nodiscard]] std::uint8_t response_time(rmpp_header const& received) const noexcept;
    [[nodiscard]] std::optional<rmpp_status> complaint(rmpp_header const& header) const noexcept;
    [[nodiscard]] bool has_place(rmpp_key const& key, time_point now);
    [[nodiscard]] bool evict(incoming_list& places, incoming_transfer const* but, time_point now);
    void make_room(incoming_transfer const& for_one, time_point now);
    void to_receiver(incoming_transfer& one, umad::ib_user_mad_hdr const& from, mad_view mad, time_point now);
    void to_sender(outgoing_transfer& one, mad_view mad, time_point now);
    void after(incoming_transfer& one, rmpp_step step, time_point now);
    void after(outgoing_transfer& one, rmpp_step step);
    void end(incoming_transfer& one, bool told);
    void end(outgoing_transfer& one);
    void forget(incoming_transfer& one);
    void trim_lingering();
    void reply(umad::ib_user_mad_hdr const& to, rmpp_reply const& what, bool is_received);
    void set_ready(outgoing_transfer& one);
    void tell_of_room(outgoing_transfer& one);

    rmpp_transfers_options const options_;
    std::shared_ptr<rmpp_budget> budget_;
    std::shared_ptr<rmpp_budget> question_budget_; // perhaps the same
    deadline_wheel wheel_;
    std::unordered_map<rmpp_key, incoming_transfer, rmpp_key_hash> incoming_;
    std::unordered_map<rmpp_key, outgoing_transfer, rmpp_key_hash> outgoing_;
    using count_of_peer = std::unordered_map<rmpp_peer, std::size_t, rmpp_key_hash>;
    static void count_down(count_of_peer& counts, rmpp_peer const& peer);
    count_of_peer questions_of_;
    count_of_peer answers_to_;
    incoming_list questions_;
    incoming_list answers_;
    incoming_list lingering_;
    outgoing_list ready_;
    outgoing_list resting_;
    std::vector<rmpp_packet> replies_; // those before first_reply_ have been written
    std::size_t first_reply_ = 0;
    std::deque<rmpp_event> events_;
    counters counters_;
};

} // namespace madrigal::engine
