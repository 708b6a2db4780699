/* listener.c - see listener.h. */
#include "run/listener.h"

#include <sys/socket.h>

int cx_listener_start(const struct cx_state *state, const char *path,
                      struct cx_doorway *ret, struct cx_err *err)
{
	const struct cx_doorway_wish wish = { path, "serve.sock", SOCK_STREAM };

	return cx_doorway_open(state, &wish, ret, err);
}
