/*
 * cancel.h - SIGINT, SIGTERM, SIGHUP and a closed output as a descriptor.
 *
 * Between start and finish they end nothing by themselves: the descriptor
 * turns readable, the sandbox is ended as cancelled, everything is recorded
 * and cleaned up, and then the tool ends by that signal.
 */
#ifndef CX_RUN_CANCEL_H
#define CX_RUN_CANCEL_H

#include <signal.h>

struct cx_cancel {
	int fd;          /* signalfd; readable: a signal came */
	sigset_t before;
};

/* fd is -1 when there is none; then the signals stay as they were. */
void cx_cancel_start(struct cx_cancel *ret);

/* The signal that came, 0 for none; the mask is as before. */
int cx_cancel_finish(struct cx_cancel *cancel);

/* Ends this process by the signal, as if nobody had caught it. */
_Noreturn void cx_cancel_die(int signal_number);

#endif
