// The names of the CAs.
#include "libibumad/entry_point.hpp"
#include "libibumad/log.hpp"
#include "libibumad/port_choice.hpp"
#include "libibumad/process_host.hpp"
#include "libibumad/umad_header.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace madrigal::libibumad {
namespace {

/// In plain byte order. Where there is no InfiniBand the list is empty: the device `mthca0`, which libibumad makes up
/// then, leads programs to look for what is not there.
result<std::vector<std::string>> names()
{
    BOOST_OUTCOME_TRY(auto host, use_host());
    return host->ca_names();
}

/// A node of the list with the name behind it, in one piece.
umad_device_node* make_node(std::string_view name)
{
    auto* const memory = std::malloc(sizeof(umad_device_node) + name.size() + 1); // NOLINT: released with free
    if (memory == nullptr)
        throw std::bad_alloc{};
    auto* const text = static_cast<char*>(memory) + sizeof(umad_device_node);
    std::copy(name.begin(), name.end(), text);
    text[name.size()] = '\0';
    return new (memory) umad_device_node{nullptr, text};
}

umad_device_node* make_list(std::vector<std::string> const& all)
{
    umad_device_node* first = nullptr;
    try {
        for (auto last = all.rbegin(); last != all.rend(); ++last) {
            auto* const node = make_node(*last);
            node->next = first;
            first = node;
        }
    } catch (std::bad_alloc const&) {
        umad_free_ca_device_list(first);
        throw;
    }
    return first;
}

} // namespace
} // namespace madrigal::libibumad

using namespace madrigal::libibumad;

extern "C" {

/// Names that do not fit with their end are left out.
int umad_get_cas_names(char (*cas)[UMAD_CA_NAME_LEN], int max)
{
    return uncancelled([&]() -> verdict {
        auto const all = names();
        if (!all || (cas == nullptr && max > 0))
            return {-1, all ? EINVAL : -failed(all.error()).value};
        int count = 0;
        for (auto const& name : all.value())
            if (count < max && name.size() < UMAD_CA_NAME_LEN)
                std::strcpy(cas[count++], name.c_str()); // NOLINT: it fits
        debug("umad_get_cas_names: {} of {}", count, all.value().size());
        return {count};
    });
}

umad_device_node* umad_get_ca_device_list()
{
    umad_device_node* first = nullptr;
    int const status = uncancelled([&]() -> verdict {
        auto const all = names();
        if (!all)
            return failed(all.error());
        first = make_list(all.value());
        return {};
    });
    if (status == 0)
        errno = 0; // how programs tell an empty list from a failure
    return first;
}

void umad_free_ca_device_list(umad_device_node* head)
{
    while (head != nullptr) {
        auto* const next = head->next;
        std::free(head); // NOLINT: from malloc
        head = next;
    }
}

/// EINVAL where the list does not have `size` nodes; the list is as it was then.
int umad_sort_ca_device_list(umad_device_node** head, std::size_t size)
{
    if (head == nullptr)
        return EINVAL;
    int const kept = errno;
    int const status = -uncancelled([&]() -> verdict {
        std::vector<umad_device_node*> nodes;
        for (auto* node = *head; node != nullptr && (size == 0 || nodes.size() <= size); node = node->next)
            nodes.push_back(node);
        if (size != 0 && nodes.size() != size)
            return refused(EINVAL);
        std::ranges::stable_sort(nodes,
            [](auto const* a, auto const* b) { return std::string_view{a->ca_name} < std::string_view{b->ca_name}; });
        umad_device_node* next = nullptr;
        for (auto last = nodes.rbegin(); last != nodes.rend(); ++last) {
            (*last)->next = next;
            next = *last;
        }
        *head = next;
        return {};
    });
    errno = kept; // the manual page: errno is not set
    return status;
}

} // extern "C"
