#include <madrigal/remote/server.hpp>

#include "remote/session.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cerrno>
#include <chrono>
#include <exception>
#include <set>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace madrigal::remote {

class server::implementation : public std::enable_shared_from_this<server::implementation> {
public:
    implementation(boost::asio::any_io_executor const& executor, machine_opener machines,
        std::filesystem::path const& socket, descriptor listening)
        : path_{std::filesystem::absolute(socket)},
          listening_{executor, listening.release()},
          rest_{executor},
          machines_{executor, std::move(machines), socket}
    {
        machines_.bury_issm_holders = [this] {
            for (auto const& one : std::vector<std::shared_ptr<session>>{sessions_.begin(), sessions_.end()})
                one->end_if_dead();
        };
    }

    void accept()
    {
        listening_.async_wait(
            boost::asio::posix::stream_descriptor::wait_read, [self = shared_from_this()](error_code const& failed) {
                if (!failed && self->listening_.is_open())
                    self->accept_some();
            });
    }

    void end()
    {
        if (!listening_.is_open())
            return;
        // While it still listens nobody replaces it; and it may have been replaced by hand.
        if (identity_of(path_) == identity_)
            (void)::unlink(path_.c_str());
        error_code ignored;
        listening_.close(ignored);
        rest_.cancel();
        for (auto const& one : std::vector<std::shared_ptr<session>>{sessions_.begin(), sessions_.end()})
            one->end();
        machines_.end();
    }

    [[nodiscard]] server_counters counters() { return machines_.counters(); }

private:
    void accept_some()
    {
        for (int budget = 64; budget != 0; --budget) {
            descriptor accepted{::accept4(listening_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
            if (accepted) {
                begin(std::move(accepted));
                continue;
            }
            if (errno == EINTR || errno == ECONNABORTED)
                continue;
            if (errno == EAGAIN)
                return accept();
            machines_.complain("a client cannot be let in: " + errno_error("accept").message());
            rest_.expires_after(std::chrono::milliseconds{100}); // until somebody has gone
            return rest_.async_wait([self = shared_from_this()](error_code const& failed) {
                if (!failed && self->listening_.is_open())
                    self->accept();
            });
        }
        accept();
    }

    void begin(descriptor accepted)
    try {
        auto one = std::make_shared<session>(std::move(accepted), machines_);
        one->on_end([this, key = std::weak_ptr{one}] { sessions_.erase(key.lock()); });
        sessions_.insert(one);
        one->start();
    } catch (std::exception const& failed) {
        machines_.complain(std::string{"a client cannot be let in: "} + failed.what());
    }

    /// Device and inode; 0 where there is nothing.
    static std::pair<dev_t, ino_t> identity_of(std::filesystem::path const& path)
    {
        struct stat told {};
        return ::lstat(path.c_str(), &told) == 0 ? std::pair{told.st_dev, told.st_ino} : std::pair<dev_t, ino_t>{};
    }

    std::filesystem::path path_;
    std::pair<dev_t, ino_t> identity_ = identity_of(path_);
    boost::asio::posix::stream_descriptor listening_;
    boost::asio::steady_timer rest_;
    std::set<std::shared_ptr<session>> sessions_;
    served_machines machines_;
};

server::server(std::shared_ptr<implementation> of) noexcept : implementation_{std::move(of)} {}

server::~server()
{
    implementation_->end();
}

result<std::unique_ptr<server>> server::listen(
    boost::asio::any_io_executor const& executor, machine_opener machines, server_options const& options)
{
    BOOST_OUTCOME_TRY(auto listening, listen_at(options.socket));
    auto made = std::make_shared<implementation>(executor, std::move(machines), options.socket, std::move(listening));
    made->accept();
    return std::unique_ptr<server>{new server{std::move(made)}};
}

server_counters server::counters() const
{
    return implementation_->counters();
}

} // namespace madrigal::remote
