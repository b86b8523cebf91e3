// A umad file and an issm file of a Linux kernel.
#pragma once

#include <madrigal/umad/port_file.hpp>
#include <madrigal/umad/system_calls.hpp>

#include <memory>

namespace madrigal::umad {

/// A descriptor that is closed once.
class owned_descriptor {
public:
    owned_descriptor(int descriptor, std::shared_ptr<system_calls> calls) noexcept;
    owned_descriptor(owned_descriptor const&) = delete;
    owned_descriptor& operator=(owned_descriptor const&) = delete;
    ~owned_descriptor();

    [[nodiscard]] int get() const noexcept { return descriptor_; }
    [[nodiscard]] system_calls& calls() const noexcept { return *calls_; }

private:
    int descriptor_;
    std::shared_ptr<system_calls> calls_;
};

/// An open /dev/infiniband/umadN: each member is one system call, its errno handed on as it is. Thread safety and
/// errors as `port_file` says.
class linux_port_file final : public port_file {
public:
    /// Takes the descriptor over.
    linux_port_file(int descriptor, std::shared_ptr<system_calls> calls) noexcept;

    [[nodiscard]] int native_handle() const noexcept override;
    result<std::size_t> read(std::span<std::byte> buffer) noexcept override;
    result<std::size_t> write(std::span<std::byte const> packet) noexcept override;
    error_code enable_pkey() noexcept override;
    error_code register_agent(ib_user_mad_reg_req& request) noexcept override;
    error_code register_agent2(ib_user_mad_reg_req2& request) noexcept override;
    error_code unregister_agent(std::uint32_t id) noexcept override;

private:
    error_code control(unsigned long request, void* argument) noexcept;

    owned_descriptor descriptor_;
};

/// An open /dev/infiniband/issmN.
class linux_issm_file final : public issm_file {
public:
    /// Takes the descriptor over.
    linux_issm_file(int descriptor, std::shared_ptr<system_calls> calls) noexcept;

private:
    owned_descriptor descriptor_;
};

} // namespace madrigal::umad
