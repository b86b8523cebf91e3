// The descriptor of an open file: readable while there is something to read, or when time has come to look.
#pragma once

#include <madrigal/error.hpp>

namespace madrigal::sim {

/// An epoll instance over an eventfd and, where one is given, the fabric's timerfd. Being an epoll instance it can be
/// watched by poll, select and other epoll instances. Setting and clearing cost a system call only where the state
/// changes.
class readiness {
public:
    readiness() = default;
    readiness(readiness const&) = delete;
    readiness& operator=(readiness const&) = delete;
    ~readiness();

    /// `timer` is -1 where there is none; not owned.
    error open(int timer);
    [[nodiscard]] int descriptor() const noexcept { return epoll_; }

    void set() noexcept;
    void clear() noexcept;

private:
    int epoll_ = -1;
    int event_ = -1;
    bool is_set_ = false;
};

} // namespace madrigal::sim
