#include <madrigal/wire/sa.hpp>

#include <algorithm>

namespace madrigal {

void build_sa_request(std::span<std::byte, mad_size> packet, sa_request const& request, std::uint16_t attribute_id,
    std::uint64_t mask) noexcept
{
    std::fill(packet.begin(), packet.end(), std::byte{0});
    mutable_mad_view const mad{packet};
    mad.set_base_version(mad_base_version);
    mad.set_mgmt_class(management_class::subnet_administration);
    mad.set_class_version(default_class_version(management_class::subnet_administration));
    mad.set_method(request.method_of_mad);
    mad.set_transaction_id(request.transaction_id);
    mad.set_attribute_id(attribute_id);
    mad.set_attribute_modifier(request.attribute_modifier);
    store_bits<288, 64>(packet.data(), request.sm_key);
    store_bits<384, 64>(packet.data(), mask);
}

} // namespace madrigal
