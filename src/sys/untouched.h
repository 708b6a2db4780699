/*
 * untouched.h - is a network namespace still as it was made?
 *
 * Whoever has only been in one, without a capability over it, can't change its
 * addresses, routes, links or sysctls (its /proc is read-only besides). What
 * he can leave are sockets, in the hands of a process elsewhere that he gave
 * them to, what sockets leave when they are closed (waiting connections,
 * leased flow labels, cached metrics), and counters, which the next one could
 * read. All of that is told by these files: whoever sent a packet, over
 * loopback too, or tried to, moved a counter; and "sockets: used" counts every
 * socket of the namespace, those that no list and no sock_diag shows because
 * they are neither bound nor connected as well.
 */
#ifndef CX_SYS_UNTOUCHED_H
#define CX_SYS_UNTOUCHED_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

enum { CX_UNTOUCHED_FILES = 10 };

struct cx_untouched {
	int fd[CX_UNTOUCHED_FILES];            /* owned; -1: not there */
	struct cx_buf text[CX_UNTOUCHED_FILES]; /* as it was */
};

/* Opens the files of pid's network namespace, which they keep alive, and reads
 * them. 0 or -1, errno. */
int cx_untouched_start(pid_t pid, struct cx_untouched *ret);

/* Every file reads as it did. */
bool cx_untouched_is(const struct cx_untouched *was);

void cx_untouched_done(struct cx_untouched *was);

#endif
