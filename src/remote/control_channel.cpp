#include "remote/control_channel.hpp"

#include "remote/attributes_message.hpp"

#include <cerrno>
#include <unistd.h>

namespace madrigal::remote {

message_reader answer::reader() const noexcept
{
    return message_reader{std::span{bytes_}.subspan(sizeof(message_head))};
}

result<answer> ask(int socket, operation what, std::uint64_t sequence, message_writer const& question,
    std::filesystem::path const& path)
{
    message_writer whole;
    whole.put(message_head{.what = what, .sequence = sequence});
    auto const body = question.bytes();
    std::vector<std::byte> bytes{whole.bytes().begin(), whole.bytes().end()};
    bytes.insert(bytes.end(), body.begin(), body.end());
    auto const failed = [&](int number) {
        // The patience of the socket is told as EAGAIN.
        return errno_error(number == EAGAIN ? ETIMEDOUT : number, "the server at " + path.native());
    };
    if (int const number = send_message(socket, bytes); number != 0)
        return failed(number);
    bytes.resize(longest_message);
    received_message received;
    if (int const number = receive_message(socket, bytes, 0, received); number != 0)
        return failed(number);
    if (received.size == 0)
        return failed(ECONNRESET);
    bytes.resize(received.size);
    message_reader reader{bytes};
    auto const head = reader.take<message_head>();
    if (!reader.is_good() || received.cut || head.magic != magic)
        return error{errc::malformed_answer, "what listens at " + path.native() + " is no server of this kind"};
    if (head.version != protocol_version)
        return error{errc::malformed_answer,
            "the server at " + path.native() + " is of another version: it speaks version " +
                std::to_string(head.version) + ", this program " + std::to_string(protocol_version)};
    if (head.what != what || head.sequence != sequence)
        return error{errc::malformed_answer, "the server at " + path.native() + " has answered something else"};
    return answer{std::move(bytes)};
}

control_channel::connection& control_channel::mine()
{
    auto const me = ::getpid();
    auto* present = connection_.load();
    while (present == nullptr || present->owner != me) {
        auto own = std::make_unique<connection>();
        own->owner = me;
        if (connection_.compare_exchange_strong(present, own.get())) {
            own->of_parent.reset(present);
            return *own.release();
        }
    }
    return *present;
}

result<answer> control_channel::ask(operation what, message_writer const& question)
{
    auto& over = mine();
    std::lock_guard const hold{over.mutex};
    bool const was_open = static_cast<bool>(over.socket);
    auto answered = ask(over, what, question);
    if (!answered && was_open && answered.error() != errc::malformed_answer &&
        answered.error().code().value() != ETIMEDOUT)
        return ask(over, what, question);
    return answered;
}

result<answer> control_channel::ask(connection& over, operation what, message_writer const& question) const
{
    if (!over.socket) {
        BOOST_OUTCOME_TRY(auto socket, connect_to(path_, patience_s));
        BOOST_OUTCOME_TRY(auto const greeting, remote::ask(socket.get(), operation::hello, 0, message_writer{}, path_));
        (void)greeting;
        over.socket = std::move(socket);
    }
    auto answered = remote::ask(over.socket.get(), what, ++over.sequence, question, path_);
    if (!answered)
        over.socket = descriptor{};
    return answered;
}

} // namespace madrigal::remote
