/*
 * desk.h - what every verb of cx-seal works at: configuration, state, keys.
 *
 * Opening the desk first closes this process to others: no core file, no
 * ptrace, no /proc/PID/mem for processes of the same user. Then it shuts itself
 * out of every other folder than that of its state, but for reading.
 */
#ifndef CX_SEAL_DESK_H
#define CX_SEAL_DESK_H

#include "plane/config.h"
#include "plane/sealer.h"
#include "store/db.h"
#include "store/state.h"

struct cx_desk {
	struct cx_state state;
	struct cx_config config;
	struct cx_db db;
	struct cx_sealer sealer;
};

/* Whether the verb writes: then the state folder is made when absent. */
enum cx_desk_mode { CX_DESK_READ, CX_DESK_WRITE };

/* desk stays where it is until cx_desk_done: its parts point at each other. */
int cx_desk_open(struct cx_desk *desk, enum cx_desk_mode mode,
                 struct cx_err *err);
void cx_desk_done(struct cx_desk *desk);

/* Looks for the state folder once more where there was none: what feeds a
 * pipeline may have made it meanwhile. */
int cx_desk_look(struct cx_desk *desk, struct cx_err *err);

#define CX_DESK_NONE ((struct cx_desk){ .state = CX_STATE_NONE })
#define CX_AUTO_DESK __attribute__((cleanup(cx_desk_done)))

#endif
