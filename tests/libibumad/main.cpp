// The program of the promises: on the host that MADRIGAL_HOST names, or on a small simulated one.
#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    ::setenv("MADRIGAL_HOST", "sim:" MADRIGAL_SMALL_FABRIC "?configured", 0);
    return RUN_ALL_TESTS();
}
