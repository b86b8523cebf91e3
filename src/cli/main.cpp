// The program `madrigal`.
#include "cli/complain.hpp"
#include "cli/exit_code.hpp"
#include "cli/program.hpp"

#include <csignal>
#include <exception>

int main(int argc, char** argv)
{
    // A reader that goes away is an error of write(2), seen where results are written.
    (void)std::signal(SIGPIPE, SIG_IGN);
    try {
        return madrigal::cli::run_program(argc, argv);
    } catch (std::exception const& failure) {
        madrigal::cli::complain(failure.what());
        return madrigal::cli::failed_operation;
    }
}
