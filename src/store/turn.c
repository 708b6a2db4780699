/* turn.c - see turn.h. */
#include "store/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/promise.h"

enum { SECOND_US = 1000000, STEP_MIN_MS = 1, STEP_MAX_MS = 25 };

/* 1 taken, 0 somebody else's, -1 errno. flock(2) itself can't be told how
 * long to wait. */
static int try(int fd, enum cx_turn_mode mode)
{
	int how = mode == CX_TURN_SHARED ? LOCK_SH : LOCK_EX;

	while (flock(fd, how | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			return CX_PROMISE(workspace_turn, false);
		if (errno != EINTR)
			return -1;
	}
	return 1;
}

/* True: go on waiting. */
static bool pause_for(const struct cx_turn *wish, int64_t began_us,
                      int *step_ms)
{
	struct pollfd cancel = { wish->cancel_fd, POLLIN, 0 };
	int64_t waited_ms = (cx_clock_mono_us() - began_us) / 1000;
	int step = *step_ms;

	if (wish->wait_ms >= 0) {
		if (waited_ms >= wish->wait_ms)
			return false;
		if (wish->wait_ms - waited_ms < step)
			step = (int)(wish->wait_ms - waited_ms);
	}
	*step_ms = *step_ms * 2 > STEP_MAX_MS ? STEP_MAX_MS : *step_ms * 2;
	return poll(&cancel, 1, step) <= 0;
}

static int wait_for(int fd, const struct cx_turn *wish, struct cx_err *err)
{
	const int64_t began_us = cx_clock_mono_us();
	int step_ms = STEP_MIN_MS;
	bool told = !wish->waits;
	int got;

	while ((got = try(fd, wish->mode)) == 0) {
		if (!told && cx_clock_mono_us() - began_us > SECOND_US) {
			wish->waits(wish->context);
			told = true;
		}
		if (!pause_for(wish, began_us, &step_ms))
			return cx_err_set(err, CX_E_STORE_BUSY, "another "
			                  "command uses the workspace; try "
			                  "again when it has ended");
	}
	return got < 0 ? cx_err_sys(err, CX_E_IO_ERROR, "take a turn in the "
	                            "workspace") : 0;
}

int cx_turn_take(int folder_fd, const struct cx_turn *wish, int *ret_fd,
                 struct cx_err *err)
{
	CX_AUTO_FD int fd = -1;

	*ret_fd = -1;
	if (wish->mode == CX_TURN_NONE)
		return 0;
	fd = openat(folder_fd, "turn", O_RDWR | O_CREAT | O_NOFOLLOW |
	            O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open the workspace's "
		                  "turn");
	if (wait_for(fd, wish, err) < 0)
		return -1;
	*ret_fd = cx_fd_take(&fd);
	return 0;
}
