/* interrupt.c - see interrupt.h. */
#include "base/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "base/count.h"
#include "base/fd.h"

/* What the caller had ignored (nohup does) stays ignored: blocked, it would
 * wait all the same. */
static void fill(sigset_t *ret_set)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction how;

	sigemptyset(ret_set);
	for (size_t i = 0; i < CX_COUNT(signals); i++)
		if (sigaction(signals[i], NULL, &how) == 0 &&
		    how.sa_handler != SIG_IGN)
			sigaddset(ret_set, signals[i]);
}

void cx_interrupt_hold(void)
{
	sigset_t set;

	fill(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

bool cx_interrupt_waits(void)
{
	sigset_t ours, pending, both;

	fill(&ours);
	return sigpending(&pending) == 0 &&
	       sigandset(&both, &ours, &pending) == 0 &&
	       sigisemptyset(&both) == 0;
}

int cx_interrupt_check(struct cx_err *err)
{
	if (!cx_interrupt_waits())
		return 0;
	return cx_err_set(err, CX_E_IO_ERROR, "interrupted");
}

int cx_interrupt_wait(int fd, struct cx_err *err)
{
	CX_AUTO_FD int interrupt = cx_interrupt_fd();
	struct pollfd both[] = { { fd, POLLIN, 0 }, { interrupt, POLLIN, 0 } };

	while (both[0].revents == 0) {
		if (poll(both, 2, -1) < 0 && errno != EINTR)
			return cx_err_sys(err, CX_E_IO_ERROR, "wait for input");
		if (cx_interrupt_check(err) < 0)
			return -1;
	}
	return 0;
}

int cx_interrupt_fd(void)
{
	sigset_t set;

	fill(&set);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void cx_interrupt_release(void)
{
	sigset_t set;

#ifdef CX_INSTRUMENTED /* what it counted is written by exit(3) alone */
	if (cx_interrupt_waits())
		exit(128 + SIGTERM);
#endif
	fill(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
