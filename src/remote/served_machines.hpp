// What all connections of one server share.
#pragma once

#include "remote/issm_paths.hpp"
#include "remote/machines.hpp"
#include "remote/served_file.hpp"

#include <madrigal/engine/rate_limit.hpp>
#include <madrigal/remote/server.hpp>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>

namespace madrigal::remote {

/// The machines, the files that are open on them, and who holds which issm file.
class served_machines {
public:
    served_machines(boost::asio::any_io_executor executor, machine_opener opener, std::filesystem::path const& socket)
        : executor_{std::move(executor)}, machines_{std::move(opener)}, issm_paths_{executor_, socket, counters_}
    {}

    [[nodiscard]] boost::asio::any_io_executor const& executor() const noexcept { return executor_; }
    [[nodiscard]] remote::machines& machines() noexcept { return machines_; }
    [[nodiscard]] server_counters& counters() noexcept { return counters_; }

    /// One that no file has.
    [[nodiscard]] std::uint64_t new_token();
    /// From now on the socket is the file's.
    void adopt(std::uint64_t token, descriptor socket, std::unique_ptr<umad::port_file> file);
    /// The file with this token, with everything that its client has sent so far taken; null where there is none.
    [[nodiscard]] std::shared_ptr<served_file> file(std::uint64_t token);
    /// Closes the files of clients that have gone and whose end has not been heard of yet: what they held is free.
    /// False where there were none.
    bool bury_the_dead();
    /// The same for who holds issm files, which others know.
    std::function<void()> bury_issm_holders{};

    [[nodiscard]] result<std::unique_ptr<umad::issm_file>> open_issm(machine_and_ca const& where, unsigned port);
    [[nodiscard]] result<std::string> issm_path(machine_and_ca const& where, unsigned port)
    {
        return issm_paths_.path_of(where, port);
    }
    /// Somebody has let go of an issm file.
    void issm_is_free() { issm_paths_.try_again(); }

    /// Counts it, and says so.
    void has_put_out_a_client();
    /// Warns, but no more than now and then: how often depends on what clients do.
    void complain(std::string const& of);

    void end();

private:
    boost::asio::any_io_executor executor_;
    remote::machines machines_;
    server_counters counters_;
    issm_paths issm_paths_;
    std::unordered_map<std::uint64_t, std::shared_ptr<served_file>> files_;
    engine::rate_limit complaints_{1, 3};
    std::random_device random_; ///< tokens that nobody guesses
};

} // namespace madrigal::remote
