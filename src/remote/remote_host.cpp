#include "remote/remote_host.hpp"

#include "ground/percent_encoded.hpp"
#include "remote/attributes_message.hpp"
#include "remote/remote_file.hpp"

#include <madrigal/remote/connect.hpp>

#include <algorithm>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <utility>

namespace madrigal::remote {
namespace {

/// Holds the connection that holds the file.
class remote_issm_file final : public umad::issm_file {
public:
    explicit remote_issm_file(descriptor socket) noexcept : socket_{std::move(socket)} {}

private:
    descriptor socket_;
};

} // namespace

std::string remote_host::uri() const
{
    auto const text = "unix:" + detail::percent_encoded(control_->path().native());
    return machine_.empty() ? text : text + "?ca=" + detail::percent_encoded(machine_);
}

message_writer remote_host::place(std::string_view ca, unsigned port) const
{
    message_writer question;
    question.put_text(machine_);
    question.put_text(ca);
    question.put(static_cast<std::uint32_t>(port));
    return question;
}

error remote_host::unreadable() const
{
    return {errc::malformed_answer, "the server at " + control_->path().native()};
}

result<answer> remote_host::ask(operation what, std::string_view ca, unsigned port)
{
    if (ca.size() > longest_name)
        return error{errc::no_such_ca, std::string{ca}};
    BOOST_OUTCOME_TRY(auto answered, control_->ask(what, place(ca, port)));
    auto reader = answered.reader();
    if (auto failed = take_error(reader); failed.code())
        return failed;
    if (!reader.is_good())
        return unreadable();
    return answered;
}

result<std::vector<std::string>> remote_host::ca_names()
{
    BOOST_OUTCOME_TRY(auto const answered, ask(operation::ca_names, {}, 0));
    auto reader = answered.reader();
    (void)take_error(reader);
    std::vector<std::string> names;
    for (auto left = reader.take<std::uint32_t>(); left != 0 && reader.is_good(); --left)
        names.push_back(reader.take_text());
    if (!reader.ends_well())
        return unreadable();
    std::sort(names.begin(), names.end());
    return names;
}

result<umad::ca_attributes> remote_host::query_ca(std::string_view ca)
{
    BOOST_OUTCOME_TRY(auto const answered, ask(operation::query_ca, ca, 0));
    auto reader = answered.reader();
    (void)take_error(reader);
    auto told = take_ca_attributes(reader);
    if (!reader.ends_well())
        return unreadable();
    told.name = ca; // another machine's device may have the name of one here
    return told;
}

result<umad::port_attributes> remote_host::query_port(std::string_view ca, unsigned port)
{
    BOOST_OUTCOME_TRY(auto const answered, ask(operation::query_port, ca, port));
    auto reader = answered.reader();
    (void)take_error(reader);
    auto told = take_port_attributes(reader);
    if (!reader.ends_well())
        return unreadable();
    told.ca_name = ca;
    return told;
}

result<umad::subnet_attributes> remote_host::query_subnet(std::string_view ca, unsigned port)
{
    BOOST_OUTCOME_TRY(auto const answered, ask(operation::query_subnet, ca, port));
    auto reader = answered.reader();
    (void)take_error(reader);
    auto const told = take_subnet_attributes(reader);
    if (!reader.ends_well())
        return unreadable();
    return told;
}

result<std::string> remote_host::issm_path(std::string_view ca, unsigned port)
{
    BOOST_OUTCOME_TRY(auto const answered, ask(operation::issm_path, ca, port));
    auto reader = answered.reader();
    (void)take_error(reader);
    auto path = reader.take_text();
    if (!reader.ends_well())
        return unreadable();
    return path;
}

/// A connection of its own, and what the server says to it.
result<std::pair<descriptor, answer>> remote_host::open(operation what, std::string_view ca, unsigned port)
{
    if (ca.size() > longest_name)
        return error{errc::no_such_ca, std::string{ca}};
    BOOST_OUTCOME_TRY(auto socket, connect_to(control_->path(), patience_s));
    BOOST_OUTCOME_TRY(auto answered, remote::ask(socket.get(), what, 0, place(ca, port), control_->path()));
    auto reader = answered.reader();
    if (auto failed = take_error(reader); failed.code())
        return failed;
    // The patience was for the answer.
    timeval const none{};
    (void)::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
    // What the server takes at once before it answers for the file (served_file::catch_up).
    int const room = 100 * 1024;
    (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    (void)::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
    return std::pair{std::move(socket), std::move(answered)};
}

result<std::unique_ptr<umad::port_file>> remote_host::open_port(std::string_view ca, unsigned port)
{
    BOOST_OUTCOME_TRY(auto opened, open(operation::open_port, ca, port));
    auto reader = opened.second.reader();
    (void)take_error(reader);
    auto const token = reader.take<std::uint64_t>();
    if (!reader.ends_well())
        return unreadable();
    return std::unique_ptr<umad::port_file>{
        std::make_unique<remote_file>(std::move(opened.first), token, port, control_)};
}

result<std::unique_ptr<umad::issm_file>> remote_host::open_issm(std::string_view ca, unsigned port)
{
    BOOST_OUTCOME_TRY(auto opened, open(operation::open_issm, ca, port));
    return std::unique_ptr<umad::issm_file>{std::make_unique<remote_issm_file>(std::move(opened.first))};
}

result<std::shared_ptr<umad::host>> connect(std::filesystem::path const& socket, std::optional<std::string> ca)
{
    if (ca && ca->size() > longest_name)
        return error{errc::no_such_ca, "a name of " + std::to_string(ca->size()) + " bytes"};
    // A program may change its folder afterwards; but a socket's path has to be short.
    std::error_code failed;
    auto path = std::filesystem::absolute(socket, failed);
    if (failed || path.native().size() > longest_path)
        path = socket;
    auto control = std::make_shared<control_channel>(std::move(path));
    auto machine = std::make_shared<remote_host>(std::move(control), std::move(ca).value_or(std::string{}));
    // Where the name is wrong this is the time to say so.
    BOOST_OUTCOME_TRY(auto const names, machine->ca_names());
    (void)names;
    return std::shared_ptr<umad::host>{std::move(machine)};
}

} // namespace madrigal::remote
