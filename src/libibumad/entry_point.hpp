// What every function that programs call has around it: cancellation, exceptions and errno.
#pragma once

#include <cerrno>
#include <exception>
#include <new>
#include <pthread.h>

namespace madrigal::libibumad {

/// What a function returns and what errno says then.
struct verdict {
    int value = 0;  ///< returned
    int number = 0; ///< for errno; 0 leaves it as it was before the call
};

/// A failure that is returned as `-number`.
[[nodiscard]] constexpr verdict refused(int number) noexcept
{
    return {-number, number};
}

/// A failure for which the manual page promises `-promised`, whatever its errno.
[[nodiscard]] constexpr verdict refused_as(int promised, int number) noexcept
{
    return {-promised, number};
}

/// Runs what takes locks and makes system calls but never waits for a packet.
///
/// A thread may be cancelled with pthread_cancel in any system call (OpenSM stops its receiver so). glibc unwinds its
/// stack then, which must meet no `noexcept` and leave no lock and no half-read packet behind. So there is no
/// cancellation in here; it waits for where the library waits, which is outside of this, with nothing held.
template <class Function>
int uncancelled(Function const& run)
{
    int before = PTHREAD_CANCEL_ENABLE;
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    int const kept = errno;
    verdict said;
    try {
        said = run();
    } catch (std::bad_alloc const&) {
        said = refused(ENOMEM);
    } catch (std::exception const&) { // Not `...`: that would stop a cancellation too.
        said = refused(EIO);
    }
    ::pthread_setcancelstate(before, nullptr);
    errno = said.number != 0 ? said.number : kept;
    return said.value;
}

} // namespace madrigal::libibumad
