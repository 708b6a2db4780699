/*
 * lock.h - flock(2) leases: held by a descriptor, gone with the last process
 * that holds it, never a pid file.
 *
 * A folder can be leased as well as a file of its own. What is removed under
 * an exclusive lease may have been opened by another process before: take()
 * therefore looks again, after it has the lease, whether the name still means
 * the same file, and begins anew when it doesn't.
 */
#ifndef CX_STORE_LOCK_H
#define CX_STORE_LOCK_H

#include <stdbool.h>

#include "base/err.h"

enum cx_lock_mode { CX_LOCK_SHARED, CX_LOCK_EXCLUSIVE };

/* Leases the file name below dir_fd, made (0600) when absent. Held elsewhere:
 * waits, or with wait false CX_E_STORE_BUSY. The descriptor is the lease. */
int cx_lock_take(int dir_fd, const char *name, enum cx_lock_mode mode,
                 bool wait, int *ret_fd, struct cx_err *err);

/* Leases the folder name below dir_fd, which must be there (err->sys is
 * ENOENT when it isn't). */
int cx_lock_folder(int dir_fd, const char *name, enum cx_lock_mode mode,
                   bool wait, int *ret_fd, struct cx_err *err);

/* Turns a shared lease into an exclusive one, without waiting. false: another
 * process holds it too, and this lease is lost. Of several holders that ask one
 * after another or at once, one gets it. */
bool cx_lock_alone(int fd);

#endif
