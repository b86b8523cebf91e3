#include "wire/every_layout.hpp"

namespace madrigal::test {
namespace {

using some_attributes = part_of<all_attributes, 0, 6>::type;
INSTANTIATE_TYPED_TEST_SUITE_P(Attributes1, EveryLayout, some_attributes, layout_name);

} // namespace
} // namespace madrigal::test
