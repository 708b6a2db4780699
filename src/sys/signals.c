/* signals.c - see signals.h. By system call: glibc keeps two signals from its
 * callers, and those may be ignored as well. */
#include "sys/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>

enum { SIGNALS = 64, KERNEL_SET_BYTES = 8 };

struct kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

int cx_signals_default(void)
{
	for (int number = 1; number <= SIGNALS; number++) {
		static const struct kernel_action action = { .handler = NULL };

		if (number == SIGKILL || number == SIGSTOP)
			continue;
		if (syscall(SYS_rt_sigaction, number, &action, NULL,
		            KERNEL_SET_BYTES) < 0)
			return -1;
	}
	return 0;
}

int cx_signals_unblock(void)
{
	static const uint64_t none;

	return (int)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL,
	                    KERNEL_SET_BYTES);
}
