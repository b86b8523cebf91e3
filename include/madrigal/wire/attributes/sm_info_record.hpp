// SMInfoRecord (IBA 15.2.5.10): a subnet manager of the subnet.
#pragma once

#include <madrigal/wire/attributes/sm_info.hpp>
#include <madrigal/wire/layout.hpp>

// clang-format off
#define MADRIGAL_SM_INFO_RECORD(field)                                                                                 \
    field(lid,     base_lid, "LID",     0,  16, "LID of the port where the SM lives")                                  \
    field(sm_info, info,     "SMInfo", 32, 168, "the SM")
// clang-format on

namespace madrigal {
MADRIGAL_ATTRIBUTE(sm_info_record, "SMInfoRecord", 0x0018, attribute_scope{management_class::subnet_administration}, 25,
    MADRIGAL_SM_INFO_RECORD);
} // namespace madrigal
