// How many instructions this program has executed.
#pragma once

#include <cstdint>
#include <optional>

namespace madrigal::bench {

/// Instructions in user space of the calling thread and of the threads that it starts from now on, by
/// perf_event_open(2).
class instruction_counter {
public:
    instruction_counter() noexcept;
    instruction_counter(instruction_counter const&) = delete;
    instruction_counter& operator=(instruction_counter const&) = delete;
    ~instruction_counter();

    /// The count since the object was made; nothing where the machine cannot count, as in most virtual machines, or
    /// kernel.perf_event_paranoid forbids it.
    [[nodiscard]] std::optional<std::uint64_t> read() const noexcept;

private:
    int descriptor_;
};

} // namespace madrigal::bench
