// One open umad file together with what has to be remembered about it: its name and how long its packet headers are.
#pragma once

#include <madrigal/umad/registration.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace madrigal::umad {

/// A port file whose header mode is settled. Movable; not thread-safe, different files are independent.
///
/// The mode belongs to the open file, not to the process: the constructor asks for 64-byte headers, and any failure of
/// that means 56 bytes, whatever its errno (old kernels give ENOTTY, some leak 515). A successful REGISTER_AGENT2 as
/// the first registration settles 64 too.
class umad_file {
public:
    /// `device` names the port in messages: `mlx5_0 port 1`.
    umad_file(std::unique_ptr<port_file> file, std::string device) noexcept;

    /// Length of the header before each MAD, in bytes: 64 with `pkey_index`, or 56 without. Final once an agent is
    /// registered.
    [[nodiscard]] std::size_t header_size() const noexcept { return pkey_mode_ ? umad::header_size : old_header_size; }
    [[nodiscard]] std::string const& device() const noexcept { return device_; }
    /// For poll; owned by the file.
    [[nodiscard]] int native_handle() const noexcept { return file_->native_handle(); }
    /// For read and write. Registering directly on it bypasses the bookkeeping of the header mode.
    [[nodiscard]] port_file& file() noexcept { return *file_; }

    /// umad::register_agent on this file.
    [[nodiscard]] result<registered_agent> register_agent(
        registration const& wanted, registration_detail* detail = nullptr);
    /// umad::unregister_agent on this file.
    [[nodiscard]] result<void> unregister_agent(std::uint32_t id);

private:
    std::unique_ptr<port_file> file_;
    std::string device_;
    bool pkey_mode_ = false;
    bool registered_before_ = false;
};

} // namespace madrigal::umad
