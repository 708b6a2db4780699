/*
 * control.h - the socket between the launcher and init.
 *
 * A pair of SOCK_SEQPACKET, one end each. It is the error pipe (FAULT), the
 * status pipe (STARTED, ENDED) and the lifeline: when the launcher's only end
 * closes, init ends, and with it the pid namespace. From outside to inside
 * go single bytes: CX_CONTROL_TERMINATE, CX_CONTROL_KILL, to all but init.
 */
#ifndef CX_BOX_CONTROL_H
#define CX_BOX_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "box/step.h"

/* GO comes first where an OCI runtime made init, which waits for it; with it
 * comes the command's standard input, if there is one (SCM_RIGHTS). */
enum {
	CX_CONTROL_GO = 'G',
	CX_CONTROL_TERMINATE = 'T',
	CX_CONTROL_KILL = 'K',
};

enum cx_control_kind {
	CX_CONTROL_FAULT,   /* step, error: the command never ran */
	CX_CONTROL_STARTED, /* the command was executed */
	CX_CONTROL_ENDED,   /* status and what follows it */
};

struct cx_control_message {
	enum cx_control_kind kind;
	enum cx_step step;
	int error;
	int status;            /* of waitpid */
	int landlock;          /* ABI in force, 0 none */
	bool leftovers;        /* processes are there still */
	bool file_limit_hit;   /* one of them died of SIGXFSZ */
	int64_t executed_us;   /* CLOCK_MONOTONIC at the exec */
	int64_t tmp_peak_kib;  /* of /tmp, by samples */
	int64_t cpu_us;        /* of all that was reaped */
};

#endif
