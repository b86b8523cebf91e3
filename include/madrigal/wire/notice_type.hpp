// What kind of event a notice tells.
#pragma once

#include <cstdint>
#include <string>

namespace madrigal {

/// Notice.Type (IBA 13.4.8.2).
enum class notice_type : std::uint8_t {
    fatal = 0,
    urgent = 1,
    security = 2,
    subnet_management = 3,
    informational = 4,
    empty = 0x7F, ///< an answer to Get(Notice) where there is none
};

/// Notice.ProducerType of generic notices.
enum class notice_producer : std::uint32_t {
    ca = 1,
    switch_ = 2,
    router = 3,
    class_manager = 4,
};

/// `Fatal`, `Urgent`, `Security`, `SubnetManagement`, `Informational`, `Empty`; a number for anything else.
[[nodiscard]] std::string to_string(notice_type value);
/// `CA`, `Switch`, `Router`, `ClassManager`; a hexadecimal number for anything else, such as a vendor's id.
[[nodiscard]] std::string to_string(notice_producer value);

} // namespace madrigal
