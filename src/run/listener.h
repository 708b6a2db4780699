/* listener.h - the socket of cx-run serve. */
#ifndef CX_RUN_LISTENER_H
#define CX_RUN_LISTENER_H

#include "plane/doorway.h"

/* Listens at path; NULL: run/serve.sock of the state. */
int cx_listener_start(const struct cx_state *state, const char *path,
                      struct cx_doorway *ret, struct cx_err *err);

#endif
