#include "port_responder.hpp"

#include "echo_process.hpp"

#include <madrigal/runtime/destination.hpp>
#include <madrigal/umad/uapi.hpp>
#include <madrigal/wire/mad.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace madrigal::bench {
namespace {

/// A umad file with the one agent that serves.
result<umad::umad_file> open_server(
    umad::host& host, umad::port_selector const& where, umad::registration const& client)
{
    BOOST_OUTCOME_TRY(auto opened, umad::open_port(host, where));
    if (opened.file.header_size() != umad::header_size)
        return error{errc::registration_refused, "this kernel has no packet headers of 64 bytes"};
    BOOST_OUTCOME_TRY(opened.file.register_agent(client.serving(method::get)));
    return std::move(opened.file);
}

/// Turns what was read into its answer, to where it came from.
void make_answer(std::span<std::byte> packet) noexcept
{
    auto& header = *reinterpret_cast<umad::ib_user_mad_hdr*>(packet.data());
    header.timeout_ms = 0;
    header.retries = 0;
    header.qkey.set(gsi_qkey);
    if (header.grh_present != 0)
        header.hop_limit = global_route{}.hop_limit;
    mutable_mad_view const mad{packet.subspan(umad::header_size)};
    mad.set_method(response_to(mad.method()));
    mad.set_status(0);
}

/// Answers until `stop` is readable or the device is gone. A write that the kernel refuses loses one answer.
void answer_all(umad::umad_file& on, int stop) noexcept
{
    alignas(umad::ib_user_mad_hdr) std::array<std::byte, packet_size> packet{};
    for (;;) {
        std::array<pollfd, 2> watched{{{on.native_handle(), POLLIN, 0}, {stop, POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR)
            return;
        if (watched[1].revents != 0)
            return;
        for (;;) {
            auto const got = on.file().read(packet);
            if (!got && got.error().code().value() == EAGAIN)
                break;
            if (!got)
                return;
            if (got.value() != packet_size)
                continue;
            make_answer(packet);
            (void)on.file().write(packet);
        }
    }
}

class descriptor {
public:
    explicit descriptor(int number = -1) noexcept : number_{number} {}
    descriptor(descriptor const&) = delete;
    descriptor& operator=(descriptor const&) = delete;
    ~descriptor() { close(); }
    [[nodiscard]] int get() const noexcept { return number_; }
    void close() noexcept
    {
        if (number_ >= 0)
            ::close(std::exchange(number_, -1));
    }

private:
    int number_;
};

class process_responder final : public port_responder {
public:
    explicit process_responder(pid_t process) noexcept : process_{process} {}
    ~process_responder() override
    {
        (void)::kill(process_, SIGTERM);
        while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

private:
    pid_t process_;
};

class thread_responder final : public port_responder {
public:
    thread_responder(umad::umad_file file, int stop) : file_{std::move(file)}, stop_{stop}
    {
        thread_ = std::thread{[this] { answer_all(file_, stop_.get()); }};
    }
    ~thread_responder() override
    {
        std::uint64_t const one = 1;
        (void)!::write(stop_.get(), &one, sizeof one);
        thread_.join();
    }

private:
    umad::umad_file file_;
    descriptor stop_;
    std::thread thread_;
};

/// Serves in the forked process: a dot through the pipe once it is ready, or a sentence that says why not.
[[noreturn]] void serve(
    umad::host& host, umad::port_selector const& where, umad::registration const& client, int tell, pid_t parent)
{
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)::prctl(PR_SET_NAME, "bench-responder"); // so that a profiler tells it from the client
    if (::getppid() != parent)
        ::_exit(1);
    auto server = open_server(host, where, client);
    auto const word = server ? std::string{"."} : server.error().message();
    (void)!::write(tell, word.data(), word.size());
    ::close(tell);
    if (server)
        answer_all(server.value(), -1);
    ::_exit(server ? 0 : 1);
}

} // namespace

result<std::unique_ptr<port_responder>> start_process_responder(
    umad::host& host, umad::port_selector const& where, umad::registration const& client)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return errno_error(errno, "a pipe to the answering process");
    descriptor const listen{ends[0]};
    descriptor tell{ends[1]};
    auto const parent = ::getpid();
    auto const process = ::fork();
    if (process < 0)
        return errno_error(errno, "fork of the answering process");
    if (process == 0)
        serve(host, where, client, tell.get(), parent);
    tell.close();
    auto started = std::make_unique<process_responder>(process);
    std::string word;
    std::array<char, 256> part{};
    for (;;) {
        auto const got = ::read(listen.get(), part.data(), part.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        word.append(part.data(), static_cast<std::size_t>(got));
    }
    if (word != ".")
        return error{errc::registration_refused, "the answering process: " + (word.empty() ? "ended" : word)};
    return std::unique_ptr<port_responder>{std::move(started)};
}

result<std::unique_ptr<port_responder>> start_thread_responder(
    umad::host& host, umad::port_selector const& where, umad::registration const& client)
{
    BOOST_OUTCOME_TRY(auto server, open_server(host, where, client));
    auto const stop = ::eventfd(0, EFD_CLOEXEC);
    if (stop < 0)
        return errno_error(errno, "an eventfd");
    return std::unique_ptr<port_responder>{std::make_unique<thread_responder>(std::move(server), stop)};
}

} // namespace madrigal::bench
