// The texts of classes, methods, statuses and attributes are those of the distribution's library, all of them.
#include <infiniband/umad.h>
#include <infiniband/umad_str.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <dlfcn.h>
#include <endian.h>

namespace madrigal::libibumad::test {
namespace {

/// The other library, in a scope of its own.
class Names : public testing::Test {
protected:
    void SetUp() override
    {
        library_ = ::dlopen(MADRIGAL_THEIR_LIBIBUMAD, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library_, nullptr) << ::dlerror();
    }
    void TearDown() override { ::dlclose(library_); }

    template <class Function>
    [[nodiscard]] Function* theirs(char const* name, Function* ours)
    {
        auto* const found = reinterpret_cast<Function*>(::dlsym(library_, name));
        EXPECT_NE(found, nullptr) << name;
        EXPECT_NE(found, ours) << name << " is compared with itself";
        return found;
    }

private:
    void* library_ = nullptr;
};

constexpr unsigned bytes = 0x100;
constexpr unsigned words = 0x10000;

TEST_F(Names, OfClasses)
{
    auto* const other = theirs("umad_class_str", ::umad_class_str);
    for (unsigned number = 0; number != bytes; ++number)
        EXPECT_STREQ(::umad_class_str(static_cast<std::uint8_t>(number)), other(static_cast<std::uint8_t>(number)));
}

TEST_F(Names, OfMethods)
{
    auto* const other = theirs("umad_method_str", ::umad_method_str);
    for (unsigned both = 0; both != words; ++both) {
        auto const class_number = static_cast<std::uint8_t>(both >> 8);
        auto const method = static_cast<std::uint8_t>(both);
        ASSERT_STREQ(::umad_method_str(class_number, method), other(class_number, method)) << both;
    }
}

TEST_F(Names, OfStatuses)
{
    auto* const common = theirs("umad_common_mad_status_str", ::umad_common_mad_status_str);
    auto* const sa = theirs("umad_sa_mad_status_str", ::umad_sa_mad_status_str);
    for (unsigned number = 0; number != words; ++number) {
        auto const status = htobe16(static_cast<std::uint16_t>(number));
        ASSERT_STREQ(::umad_common_mad_status_str(status), common(status)) << number;
        ASSERT_STREQ(::umad_sa_mad_status_str(status), sa(status)) << number;
    }
}

TEST_F(Names, OfAttributes)
{
    auto* const other = theirs("umad_attribute_str", ::umad_attribute_str);
    for (unsigned class_number = 0; class_number != bytes; ++class_number)
        for (unsigned number = 0; number != words; ++number) {
            auto const of_class = static_cast<std::uint8_t>(class_number);
            auto const id = htobe16(static_cast<std::uint16_t>(number));
            ASSERT_STREQ(::umad_attribute_str(of_class, id), other(of_class, id)) << class_number << ' ' << number;
        }
}

} // namespace
} // namespace madrigal::libibumad::test
