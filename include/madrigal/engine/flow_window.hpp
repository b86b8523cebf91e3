// How many requests may be on the wire.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace madrigal::engine {

/// How many requests an agent may have on the wire.
struct window_options {
    unsigned size = 64;      ///< requests on the wire; where it starts if adaptive
    bool adaptive = false;   ///< follows what the fabric bears, between `minimum` and `maximum`
    unsigned minimum = 1;    ///< adaptive only; at least 1
    unsigned maximum = 1024; ///< adaptive only; at least `minimum`, at most 65536
};

/// Places for requests on the wire: fixed, or adaptive. A link that loses a few packets whatever the window, and a
/// queue that loses what is too much for it, look alike from here; only the second wants a smaller window.
///
/// *Rounds.* A timeout tells of a loss when the window has long moved on, so losses are told by order instead, as TCP
/// does it (RFC 8985). Outcomes are counted in rounds of two windows' worth. What has no outcome when the round after
/// its own ends has been overtaken by that many others: it is *missing*, counts as lost until it turns out to have been
/// slow only, and another may be sent in its place. With those missing, at most twice the size are in use, and never
/// more than `maximum`.
///
/// *Trials.* A size is tried for some rounds. If it lost no more than links do by themselves, and 3 %, and the square
/// root of what was sent, as little says little, then it grows, provided that it was full: to twice the size. If it
/// lost more, half the size is tried. Where that at least halves the share of losses, the window had caused them: it
/// stays so, and is *careful* from now on. Else they are the links' own: the old size is back, and that share is
/// expected of them until less is seen.
///
/// *Resends.* Trials see first transmissions only. A queue that the window keeps full may lose all others, so that the
/// same requests fail again and again. A window is clogged while more than a quarter of its size is missing. It shrinks
/// by a quarter if it is clogged and resends were lost more than half as often as answered (those of nodes that never
/// answer tell nothing). A careful one grows by an eighth only, takes that back if it is clogged then, and waits as
/// long as it is clogged; no more so after as many trials with answers to resends as it takes to believe that only
/// links lose.
///
/// A window that shrinks below what is in use takes nothing back: `try_take` fails until enough have been given back.
class flow_window {
public:
    /// The round in which a place was taken: a request keeps it, and says it when it has an outcome.
    using round = std::uint32_t;
    /// No place; or of a request whose outcome has been told already.
    static constexpr round no_round = 0;

    /// Impossible options are mended: sizes are at least 1 and, if adaptive, within minimum and maximum.
    explicit flow_window(window_options options = {}) noexcept;

    /// Takes a place if there is one; `no_round`, which is 0, if not.
    [[nodiscard]] round try_take() noexcept
    {
        if (free() == 0)
            return no_round;
        ++in_use_;
        if (options_.adaptive) {
            ++flight_;
            ++current_.sent;
            was_full_ = was_full_ || free() == 0;
        }
        return round_;
    }
    /// Gives a place back that was taken. A round that is not `no_round` belongs to a request without outcome, as one
    /// that could not be written: it counts for nothing.
    void give_back(round taken_in) noexcept
    {
        assert(in_use_ > 0 && "a place is given back that nobody took");
        if (in_use_ > 0)
            --in_use_;
        if (options_.adaptive && is_recent(taken_in))
            forget(taken_in);
    }
    /// A request was answered, after so many of its transmissions had been lost. Says nothing about its place. Whatever
    /// else is told of this request is told with `no_round`.
    void on_answer(round taken_in, unsigned lost) noexcept
    {
        if (options_.adaptive)
            answered(taken_in, lost);
    }
    /// A request had no answer, and ends or is written again. Otherwise as above.
    void on_timeout(round taken_in) noexcept
    {
        if (options_.adaptive)
            count(taken_in, false);
    }

    /// Of what is not missing.
    [[nodiscard]] unsigned size() const noexcept { return size_; }
    [[nodiscard]] unsigned in_use() const noexcept { return in_use_; }
    [[nodiscard]] unsigned free() const noexcept
    {
        if (!options_.adaptive)
            return size_ - in_use_;
        auto const most = std::min(2 * size_, options_.maximum);
        return flight_ < size_ && in_use_ < most ? std::min(size_ - flight_, most - in_use_) : 0;
    }

private:
    /// What became of the places taken in a round.
    struct tally {
        unsigned sent = 0;
        unsigned answered = 0; // in time
        unsigned lost = 0;     // as a late answer or a timeout has told
        bool counts = true;    // taken under the size that is tried

        [[nodiscard]] unsigned open() const noexcept { return sent - answered - lost; }
    };

    [[nodiscard]] bool is_recent(round taken_in) const noexcept { return round_ - taken_in <= 1; }
    [[nodiscard]] tally& of(round taken_in) noexcept { return taken_in == round_ ? current_ : previous_; }
    [[nodiscard]] unsigned missing() const noexcept { return in_use_ > flight_ ? in_use_ - flight_ : 0; }
    [[nodiscard]] unsigned tolerated(unsigned sent) const noexcept;
    void forget(round taken_in) noexcept;
    void answered(round taken_in, unsigned lost) noexcept;
    void count(round taken_in, bool in_time) noexcept;
    void end_round() noexcept;
    void judge() noexcept;
    void pass() noexcept;
    void fail() noexcept;
    void resize(unsigned size) noexcept;

    window_options options_;
    unsigned size_;
    unsigned in_use_ = 0;
    round round_ = 2; // `no_round` is never recent
    // Only if adaptive:
    unsigned flight_ = 0;   // without outcome, and not missing
    unsigned outcomes_ = 0; // in this round, of what is not missing
    tally current_;
    tally previous_;
    // The trial. Shares are of 1024.
    unsigned sent_ = 0;
    unsigned lost_ = 0;
    unsigned resends_answered_ = 0;
    unsigned resends_lost_ = 0;
    unsigned before_ = 0;       // the size of which half is tried; 0: no doubt
    unsigned before_share_ = 0; // what was lost then
    unsigned own_share_ = 0;    // what links lose by themselves
    unsigned caution_ = 0;      // clogged trials before it is not careful any more
    bool was_full_ = false;
    bool has_grown_ = false; // after the trial before
};

} // namespace madrigal::engine
