/*
 * ledger.h - the file of the operator's log: whole lines are added, and a full
 * file goes aside, as NAME.1, NAME.2 and so on.
 *
 * Several processes may add to one file: each adds under flock(2), and looks
 * then whether the name still means the file that it has open. So a file that
 * another one put aside (or logrotate, by a rename) is let go, and two never
 * put one aside twice. What is added stands there whole or not at all; a line
 * that a crash left torn is ended before the next one begins.
 */
#ifndef CX_GATEWAY_LEDGER_H
#define CX_GATEWAY_LEDGER_H

#include <stdint.h>

#include "plane/logsite.h"

struct cx_ledger {
	struct cx_logsite site;  /* borrowed */
	int fd;                  /* owned; -1: not open */
	int64_t patience_us;     /* to wait for who holds the file */
};

/* The file can be opened. 0 or -1, errno; ret->fd is closed by
 * cx_ledger_done. */
int cx_ledger_open(const struct cx_logsite *site, struct cx_ledger *ret);

/* Opens the file anew, with other bounds: as cx_ledger_open. */
int cx_ledger_turn(struct cx_ledger *ledger, uint64_t max_bytes,
                   uint64_t keep);

/* Adds lines, each with its newline, to as many files as they need. The bytes
 * added, whole lines; where that is fewer than size, errno says why. */
size_t cx_ledger_add(struct cx_ledger *ledger, const char *lines, size_t size);

void cx_ledger_done(struct cx_ledger *ledger);

#endif
