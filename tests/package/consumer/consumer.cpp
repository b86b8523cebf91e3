#include <madrigal/error.hpp>
#include <madrigal/wire/types.hpp>

#include <iostream>

int main()
{
    std::string const printed = to_string(madrigal::guid{0x0002c9030005f34a});
    std::cout << printed << ": " << make_error_code(madrigal::errc::timeout).message() << '\n';
    return printed == "0x0002c9030005f34a" ? 0 : 1;
}
