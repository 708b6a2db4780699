/*
 * limit.h - the limits that groups hold, as bits with names.
 *
 * Whoever asks for a limit gets it, or is refused, or has said by name that
 * best effort will do: nothing is left out in silence.
 */
#ifndef CX_SYS_LIMIT_H
#define CX_SYS_LIMIT_H

#include "base/err.h"

enum cx_limit {
	CX_LIMIT_MEMORY = 1 << 0,
	CX_LIMIT_SWAP = 1 << 1, /* none beside the memory limit */
	CX_LIMIT_PIDS = 1 << 2,
	CX_LIMIT_CPU = 1 << 3,
	CX_LIMIT_ALL = (1 << 4) - 1,
};

/* "memory", "swap", "pids", "cpu"; "" for what isn't one bit of these. */
const char *cx_limit_name(enum cx_limit limit);

/* The bit of a name, 0 when unknown. */
unsigned cx_limit_find(const char *name);

/* 0 when all of `wanted` hold, or those that don't are in best_effort (memory
 * there stands for swap too); else quota_unenforceable, naming the limits and
 * both remedies. Asked of the subtree before anything is made, and of the
 * group before anything runs. */
int cx_limit_require(unsigned wanted, unsigned holds, unsigned best_effort,
                     struct cx_err *err);

#endif
