/* passage.c - see passage.h. */
#include "box/passage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/promise.h"
#include "sys/consign.h"
#include "sys/netns.h"

enum { WAIT_MS = 30 * 1000 };

int cx_passage_make(struct cx_outside *outside)
{
	int end[2];

	if (!outside->box->portal.hand_over)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) < 0)
		return -1;
	outside->portal_fd = end[0];
	outside->enter.portal_fd = end[1];
	return 0;
}

/* The program's own servers may stand at any port. */
static int free_ports(const struct cx_enter *enter)
{
	CX_AUTO_FD int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return cx_netns_free_ports(enter->proc_fd >= 0 ? enter->proc_fd : fd);
}

/* Never in a network with more than loopback in it: it would be made deaf. */
static int open_portal(const struct cx_enter *enter, struct cx_portal *ret)
{
	const struct cx_box_portal *wish = &enter->box->portal;
	bool alone = false;
	const char *step;

	ret->count = 0;
	if (cx_netns_look(&alone) < 0)
		return -1;
	if (!CX_PROMISE(network_verified, alone)) {
		errno = ENOTUNIQ;
		return -1;
	}
	if (free_ports(enter) < 0 || cx_portal_open(ret) < 0)
		return -1;
	return cx_portal_widen(ret, wish->port, wish->ports, &step);
}

int cx_passage_offer(const struct cx_enter *enter)
{
	struct cx_portal portal;
	int done = open_portal(enter, &portal);
	int saved;

	if (done == 0)
		done = cx_consign_send(enter->portal_fd, &portal);
	saved = errno;
	cx_portal_done(&portal);
	errno = saved;
	return done;
}

static int await_word(int fd)
{
	char word;
	ssize_t n;

	do
		n = recv(fd, &word, 1, 0);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		_exit(0); /* the launcher gave up, or is gone */
	return n == 1 ? 0 : -1;
}

int cx_passage_open(struct cx_enter *enter, const struct cx_plan_item *item)
{
	int done = cx_passage_offer(enter);
	int saved;

	(void)item;
	if (done == 0)
		done = await_word(enter->portal_fd);
	saved = errno;
	cx_fd_close_at(&enter->portal_fd);
	errno = saved;
	return done;
}

/* false: init said something else, or the run is cancelled. */
static bool await_portal(const struct cx_outside *outside)
{
	struct pollfd wait[] = {
		{ .fd = outside->portal_fd, .events = POLLIN },
		{ .fd = outside->control_fd, .events = POLLIN },
		{ .fd = outside->box->cancel_fd, .events = POLLIN },
	};
	int n;

	do
		n = poll(wait, sizeof wait / sizeof wait[0], WAIT_MS);
	while (n < 0 && errno == EINTR);
	return n > 0 && (wait[0].revents & POLLIN) && !wait[2].revents;
}

enum cx_step cx_passage_hand_over(struct cx_outside *outside,
                                  struct cx_err *err)
{
	const struct cx_box_portal *wish = &outside->box->portal;
	struct cx_portal portal;
	char word = 'G';
	int taken;

	if (outside->portal_fd < 0 || !await_portal(outside) ||
	    cx_consign_receive(outside->portal_fd, &portal) <= 0)
		return CX_STEP_NONE;
	taken = wish->hand_over(wish->context, &portal, err);
	cx_portal_done(&portal);
	if (taken < 0)
		return CX_STEP_PORTAL;
	send(outside->portal_fd, &word, 1, MSG_NOSIGNAL);
	cx_fd_close_at(&outside->portal_fd);
	return CX_STEP_NONE;
}
