/*
 * escort.h - a gateway for as long as a command lives.
 */
#ifndef CX_GATEWAY_ESCORT_H
#define CX_GATEWAY_ESCORT_H

#include <sys/types.h>

#include "data/json.h"

struct cx_escort {
	pid_t gateway;     /* 0: none */
	char *path;        /* of its control socket; owned */
};

/* Starts a gateway of its own, which answers when this returns.
 * CX_E_CONTROL_UNREACHABLE. */
int cx_escort_start(struct cx_escort *ret, struct cx_err *err);

/* Runs argv to its end, with CX_GATEWAY set and all else as it is. Signals
 * that end us are passed on to it. *ret_status is as a shell's: its own, 128+n,
 * 126 or 127 with *err. */
int cx_escort_run(const struct cx_escort *escort, char *const *argv,
                  int *ret_status, struct cx_err *err);

/* What passed; owned by the caller. */
int cx_escort_usage(const struct cx_escort *escort, json_t **ret,
                    struct cx_err *err);

/* Ends the gateway. */
void cx_escort_done(struct cx_escort *escort);

#endif
