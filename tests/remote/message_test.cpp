// Values in messages.
#include "remote/attributes_message.hpp"
#include "remote/message.hpp"
#include "remote/outstanding.hpp"

#include <gtest/gtest.h>

namespace madrigal::remote {
namespace {

TEST(RemoteMessage, GivesWhatWasPutAndNothingBeyondItsEnd)
{
    message_writer writer;
    writer.put(std::uint16_t{7});
    writer.put_text("text");
    writer.put_list(std::vector<std::uint32_t>{1, 2, 3});
    message_reader reader{writer.bytes()};
    EXPECT_EQ(reader.take<std::uint16_t>(), 7);
    EXPECT_EQ(reader.take_text(), "text");
    EXPECT_EQ(reader.take_list<std::uint32_t>(), (std::vector<std::uint32_t>{1, 2, 3}));
    EXPECT_TRUE(reader.ends_well());
    EXPECT_EQ(reader.take<std::uint8_t>(), 0);
    EXPECT_FALSE(reader.is_good());
}

TEST(RemoteMessage, ALengthBeyondTheEndIsNoReasonToReadOrAllocate)
{
    message_writer writer;
    writer.put(std::uint32_t{0xFFFF'FFFF});
    writer.put(std::uint32_t{1});
    message_reader reader{writer.bytes()};
    EXPECT_TRUE(reader.take_text().empty());
    EXPECT_FALSE(reader.is_good());
    EXPECT_TRUE(reader.take_list<std::uint64_t>().empty());
}

TEST(RemoteMessage, AListOfHalvesIsBad)
{
    message_writer writer;
    writer.put_bytes(std::vector<std::byte>(7));
    message_reader reader{writer.bytes()};
    (void)reader.take_list<std::uint32_t>();
    EXPECT_FALSE(reader.is_good());
}

TEST(RemoteMessage, ErrorsKeepCategoryNumberAndContext)
{
    auto const there_and_back = [](error const& value) {
        message_writer writer;
        put(writer, value);
        message_reader reader{writer.bytes()};
        auto const back = take_error(reader);
        EXPECT_TRUE(reader.ends_well());
        return back;
    };
    EXPECT_FALSE(there_and_back(error{}).code());
    for (auto const& one : {error{errc::no_such_ca, "mlx5_7"}, error{errc::timeout}, errno_error(ENXIO, "umad0"),
             error{error_code{5, boost::system::system_category()}}}) {
        EXPECT_EQ(there_and_back(one), one);
        EXPECT_EQ(there_and_back(one).message(), one.message());
    }
}

TEST(RemoteOutstanding, APlaceIsEmptyAgainWhenAllThatWasThereIsDone)
{
    outstanding kept;
    EXPECT_TRUE(kept.add(0, 0x81, 5));
    EXPECT_FALSE(kept.add(0, 0x81, 5));
    kept.remove(0, 0x81, 5);
    EXPECT_FALSE(kept.add(0, 0x81, 5));
    kept.remove(0, 0x81, 5);
    kept.remove(0, 0x81, 5);
    kept.remove(0, 0x81, 5);
    EXPECT_TRUE(kept.add(0, 0x81, 5));
}

TEST(RemoteOutstanding, IdsInARowDoNotShareAPlace)
{
    outstanding kept;
    for (std::uint32_t id = 0x1234'0000; id != 0x1234'4000; ++id)
        ASSERT_TRUE(kept.add(1, 0x03, id));
}

} // namespace
} // namespace madrigal::remote
