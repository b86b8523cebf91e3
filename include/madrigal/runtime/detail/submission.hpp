// What other threads hand to the loop.
#pragma once

#include <madrigal/engine/send_queue.hpp>

#include <memory>

namespace madrigal::detail {

/// Something handed to the loop by another thread. Either `run` or `discard` is called once, and looks after its end.
class submission : public engine::send_queue_node {
public:
    submission() = default;
    submission(submission const&) = delete;
    submission& operator=(submission const&) = delete;

    /// On the loop.
    virtual void run() = 0;
    /// The loop is no more; on any thread.
    virtual void discard() noexcept = 0;

protected:
    ~submission() = default;
};

/// One on the heap.
class heap_submission : public submission {
public:
    virtual ~heap_submission() = default;
    void run() final
    {
        std::unique_ptr<heap_submission> const self{this};
        act();
    }
    void discard() noexcept final { delete this; }

protected:
    virtual void act() = 0;
};

} // namespace madrigal::detail
