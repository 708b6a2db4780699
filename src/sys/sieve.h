/*
 * sieve.h - closing every descriptor but those that are listed.
 *
 * Close-on-exec is no help against a process that forks and never executes:
 * it holds the pipe ends of others, and end of file never comes.
 */
#ifndef CX_SYS_SIEVE_H
#define CX_SYS_SIEVE_H

#include <stddef.h>

/* Closes all but keep[0..count) (sorted here; -1 and repeats are allowed), by
 * close_range (Linux 5.9), else by a walk over /proc/self/fd.
 * Async-signal-safe. 0 or -1, errno. */
int cx_sieve_keep(int *keep, size_t count);

#endif
