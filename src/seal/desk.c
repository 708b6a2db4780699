/* desk.c - see desk.h. */
#include "seal/desk.h"

#include <errno.h>

#include "sys/confine.h"

static int close_to_others(struct cx_err *err)
{
	if (cx_confine_memory() < 0)
		return cx_err_sys(err, CX_E_INTERNAL,
		                  "keep our memory from others");
	return 0;
}

int cx_desk_look(struct cx_desk *desk, struct cx_err *err)
{
	if (desk->state.fd >= 0 || cx_state_find(&desk->state, err) == 0 ||
	    err->sys == ENOENT)
		return 0; /* without a folder there are no keys */
	return -1;
}

static int open_state(struct cx_desk *desk, enum cx_desk_mode mode,
                      struct cx_err *err)
{
	if (mode == CX_DESK_WRITE)
		return cx_state_open(&desk->state, err);
	return cx_desk_look(desk, err);
}

/* From here on documents are read: whatever they talk us into, nothing is
 * written but below the state folder. One that isn't there yet may come, and
 * then be written to. */
static int narrow(const struct cx_desk *desk, struct cx_err *err)
{
	const struct cx_landlock_grant grant[] = {
		{ "/", CX_LANDLOCK_READ, false },
		{ desk->state.path, CX_LANDLOCK_WRITE, false },
	};

	if (desk->state.fd < 0 || cx_confine_self(grant, 2) == 0)
		return 0;
	return cx_err_sys(err, CX_E_INTERNAL, "keep from writing elsewhere");
}

int cx_desk_open(struct cx_desk *desk, enum cx_desk_mode mode,
                 struct cx_err *err)
{
	if (close_to_others(err) < 0 ||
	    cx_config_load(&desk->config, err) < 0 ||
	    open_state(desk, mode, err) < 0 || narrow(desk, err) < 0)
		return -1;
	desk->db.state = &desk->state;
	desk->sealer = (struct cx_sealer){
		.state = &desk->state, .config = &desk->config,
		.db = &desk->db,
	};
	return 0;
}

void cx_desk_done(struct cx_desk *desk)
{
	cx_sealer_done(&desk->sealer);
	cx_db_done(&desk->db);
	cx_config_done(&desk->config);
	cx_state_done(&desk->state);
}
