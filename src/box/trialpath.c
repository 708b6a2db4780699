/* trialpath.c - see trialpath.h. */
#include "box/trialpath.h"

#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "sys/netns.h"
#include "sys/redirect.h"

/* An address that is nobody's here unless every one is. */
enum { ELSEWHERE = 0x5db8d822, PORT = 80 };

static int be_reached(struct cx_trial_outcome *outcome)
{
	const struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(ELSEWHERE),
	};
	CX_AUTO_FD int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* nobody listens there, and that is said by the kernel itself */
	if (connect(fd, (const void *)&at, sizeof at) < 0 &&
	    errno == ECONNREFUSED)
		return 0;
	return CX_TRIAL_DO(outcome, "connect", -1);
}

static int make_local(const struct cx_trial_world *world,
                      struct cx_trial_outcome *outcome)
{
	(void)world;
	if (CX_TRIAL_DO(outcome, "loopback up", cx_netns_loopback()) < 0 ||
	    CX_TRIAL_DO(outcome, "netlink route", cx_redirect_routes()) < 0)
		return -1;
	return be_reached(outcome);
}

int cx_trialpath_route(const struct cx_trial_world *world,
                       struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNET, make_local, outcome);
}

static int redirect(const struct cx_trial_world *world,
                    struct cx_trial_outcome *outcome)
{
	(void)world;
	return CX_TRIAL_DO(outcome, "nf_tables", cx_redirect_tcp());
}

int cx_trialpath_redirect(const struct cx_trial_world *world,
                          struct cx_trial_outcome *outcome)
{
	return cx_trial_inside(world, CLONE_NEWNET, redirect, outcome);
}
