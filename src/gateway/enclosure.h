/*
 * enclosure.h - the gateway, shut in before the first byte from outside.
 *
 * It needs no capability, no file but the resolver's and the configuration,
 * no program, no other process; so it gives all of that up, for good. What is
 * needed in spite of it is opened before, or is handed over by the control
 * connection.
 */
#ifndef CX_GATEWAY_ENCLOSURE_H
#define CX_GATEWAY_ENCLOSURE_H

#include "data/json.h"
#include "plane/logsite.h"

/* Files and folders that stay within reach; NULL: none. */
struct cx_enclosure_wish {
	const char *config;  /* the file, whose folder stays within reach: it
	                        is read again at a reload */
	int door_fd;         /* the folder of the control socket, whose file is
	                        removed at the end; -1 */
	const struct cx_logsite *log; /* not NULL: this process writes the log,
	                        and needs its folder and nothing else */
};

/* Shuts the process in: not dumpable, no core, no_new_privs, no capability,
 * Landlock where the kernel has it, the filter of system calls. A part that
 * fails (a kernel without Landlock is none) is isolation_unavailable. */
int cx_enclosure_enter(const struct cx_enclosure_wish *wish,
                       struct cx_err *err);

/* What holds, found by asking the kernel and by trying what must fail, in a
 * process that entered: {capabilitiesDropped, noNewPrivs, undumpable, seccomp,
 * landlock (its ABI or 0), refused: {...}}. *ret_holds: all of it does, but
 * for a Landlock that the kernel hasn't. Owned by the caller. */
json_t *cx_enclosure_check(bool *ret_holds);

#endif
