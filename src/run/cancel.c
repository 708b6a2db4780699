/* cancel.c - see cancel.h. */
#include "run/cancel.h"

#include <sys/signalfd.h>

#include "base/fd.h"

void cx_cancel_start(struct cx_cancel *ret)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGPIPE);
	ret->fd = -1;
	if (sigprocmask(SIG_BLOCK, &set, &ret->before) < 0)
		return;
	ret->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (ret->fd < 0)
		sigprocmask(SIG_SETMASK, &ret->before, NULL);
}

int cx_cancel_finish(struct cx_cancel *cancel)
{
	struct signalfd_siginfo info = { 0 };
	ssize_t n = cancel->fd < 0 ? 0 : read(cancel->fd, &info, sizeof info);
	int came = n == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;

	if (cancel->fd < 0)
		return 0;
	/* what came besides has done its work as well */
	while (read(cancel->fd, &info, sizeof info) > 0)
		continue;
	cx_fd_close_at(&cancel->fd);
	sigprocmask(SIG_SETMASK, &cancel->before, NULL);
	return came;
}

_Noreturn void cx_cancel_die(int signal_number)
{
	sigset_t set;

	signal(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal_number);
	_exit(128 + signal_number);
}
