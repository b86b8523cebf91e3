// Requests that wait for their answers: the kernel's list of outstanding sends of one file.
#pragma once

#include <sim/packet.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace madrigal::sim {

class kernel_file;

/// A MAD that the kernel keeps, to send again and to tell its sender that nobody answered.
struct kernel_send : event {
    kernel_send* next = nullptr; ///< of the same bucket, or free
    kernel_file* file = nullptr;
    std::uint64_t transaction_id = 0; ///< the full one, host byte order
    std::uint8_t mgmt_class = 0;
    bool is_response = false;
    bool leaving = false;  ///< its packet is on its way within this very call
    bool answered = false; ///< while `leaving`
    std::uint32_t retries_left = 0;
    std::uint64_t ticket = 0;     ///< of the transfer that sends it; 0: it is a single MAD
    umad::ib_user_mad_hdr header; ///< as it was written
    addressing to;
    std::array<std::byte, mad_size> mad; ///< of a transfer: its headers
};

/// Finds sends by transaction id and class in constant time. Records are used again; allocates only while it grows.
class kernel_send_table {
public:
    kernel_send_table();

    /// A record that is not in the table yet.
    [[nodiscard]] kernel_send& take();
    void give_back(kernel_send& one) noexcept;

    void insert(kernel_send& one);
    void erase(kernel_send& one) noexcept;
    /// The first that satisfies `accept`, of those with this transaction id and class.
    template <class Accept>
    [[nodiscard]] kernel_send* find(std::uint64_t transaction_id, std::uint8_t mgmt_class, Accept accept) const
    {
        for (auto* one = buckets_[bucket(transaction_id)]; one != nullptr; one = one->next)
            if (one->transaction_id == transaction_id && one->mgmt_class == mgmt_class && accept(*one))
                return one;
        return nullptr;
    }
    /// Calls `visit` with each; it may erase and give back the one it is called with.
    template <class Visit>
    void for_each(Visit visit)
    {
        for (auto* bucket_of : buckets_)
            for (auto* one = bucket_of; one != nullptr;) {
                auto* const following = one->next;
                visit(*one);
                one = following;
            }
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    static constexpr std::size_t chunk = 32;

    [[nodiscard]] std::size_t bucket(std::uint64_t transaction_id) const noexcept
    {
        return (transaction_id * 0x9E37'79B9'7F4A'7C15) >> shift_;
    }
    void grow();

    std::vector<kernel_send*> buckets_;
    unsigned shift_ = 0; ///< leaves as many bits of a hash as the buckets need
    std::size_t size_ = 0;
    std::vector<std::unique_ptr<kernel_send[]>> chunks_;
    kernel_send* free_ = nullptr;
};

} // namespace madrigal::sim
