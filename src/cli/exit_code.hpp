// What the program tells the shell.
#pragma once

namespace madrigal::cli {

enum exit_code : int {
    success = 0,
    failed_operation = 1, ///< asked rightly, and it did not work or not wholly
    wrong_usage = 2,      ///< the command line cannot be understood; nothing was done
};

} // namespace madrigal::cli
