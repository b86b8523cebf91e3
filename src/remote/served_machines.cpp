#include "remote/served_machines.hpp"

#include "remote/log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

namespace madrigal::remote {

std::uint64_t served_machines::new_token()
{
    std::uint64_t token = 0;
    while (token == 0 || files_.contains(token))
        token = std::uint64_t{random_()} << 32 | random_();
    return token;
}

void served_machines::adopt(std::uint64_t token, descriptor socket, std::unique_ptr<umad::port_file> file)
{
    auto served =
        std::make_shared<served_file>(executor_, std::move(socket), std::move(file), counters_, [this, token] {
            files_.erase(token);
            --counters_.files;
        });
    files_.emplace(token, served);
    ++counters_.files;
    ++counters_.files_total;
    served->start();
}

std::shared_ptr<served_file> served_machines::file(std::uint64_t token)
{
    auto const found = files_.find(token);
    if (found == files_.end())
        return nullptr;
    auto const one = found->second;
    one->catch_up();
    return one->is_open() ? one : nullptr;
}

bool served_machines::bury_the_dead()
{
    std::vector<std::shared_ptr<served_file>> all;
    all.reserve(files_.size());
    for (auto const& [token, one] : files_)
        all.push_back(one);
    bool any = false;
    for (auto const& one : all)
        any = one->end_if_dead() || any;
    return any;
}

result<std::unique_ptr<umad::issm_file>> served_machines::open_issm(machine_and_ca const& where, unsigned port)
{
    auto held = where.machine->open_issm(where.ca, port);
    if (held || held.error().code().value() != EAGAIN)
        return held;
    bury_issm_holders();
    issm_paths_.bury_the_dead();
    return where.machine->open_issm(where.ca, port);
}

void served_machines::has_put_out_a_client()
{
    ++counters_.broken_clients;
    complain("a client has sent what is no question, and is put out");
}

void served_machines::complain(std::string const& of)
{
    std::uint64_t unsaid = 0;
    if (!complaints_.allow(std::chrono::steady_clock::now(), &unsaid))
        return;
    log().warn("{}{}", of, unsaid == 0 ? std::string{} : fmt::format(" (and {} complaints before)", unsaid));
}

void served_machines::end()
{
    issm_paths_.end();
    while (!files_.empty()) {
        auto const one = files_.begin()->second;
        one->end();
    }
}

} // namespace madrigal::remote
