// Messages, as the journal wants them.
#pragma once

namespace sm {

/// Messages go to stderr: with their time for people, and with their priority in front (`<4>`, sd-daemon(3)) where
/// stderr is the journal.
void log_to_stderr(bool verbose);

} // namespace sm
