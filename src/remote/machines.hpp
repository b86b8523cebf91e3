// The machines of a server, by the names that clients have for them.
#pragma once

#include <madrigal/remote/server.hpp>

#include <map>
#include <memory>
#include <string>

namespace madrigal::remote {

/// Where a client's question leads to.
struct machine_and_ca {
    std::shared_ptr<umad::host> machine;
    std::string ca; ///< the machine's own name for the CA
};

/// Opens each machine once.
class machines {
public:
    explicit machines(machine_opener opener) : opener_{std::move(opener)} {}

    /// The machine that has the CA `named`; the first where it is empty.
    [[nodiscard]] result<std::shared_ptr<umad::host>> at(std::string const& named);
    /// What a client on the machine `own` means by `ca`: a CA of that machine, else one of any machine.
    [[nodiscard]] result<machine_and_ca> find(std::string const& own, std::string const& ca);

private:
    machine_opener opener_;
    std::map<std::string, std::shared_ptr<umad::host>, std::less<>> open_;
};

} // namespace madrigal::remote
