/*
 * interrupt.h - SIGINT, SIGTERM and SIGHUP, held back while there is something
 * to clean up. Between hold and release they wait: long work looks whether one
 * does, stops and cleans up, and release lets it end the process. Those that
 * the caller has ignored stay ignored.
 */
#ifndef CX_BASE_INTERRUPT_H
#define CX_BASE_INTERRUPT_H

#include <stdbool.h>

#include "base/err.h"

void cx_interrupt_hold(void);

/* Whether one waits. */
bool cx_interrupt_waits(void);

/* The same as a failure: io_error "interrupted". 0 when none waits. */
int cx_interrupt_check(struct cx_err *err);

/* Waits until fd can be read from (or is at its end); io_error "interrupted"
 * when one of them comes first. */
int cx_interrupt_wait(int fd, struct cx_err *err);

/* A descriptor that is readable when one waits (signalfd; owned). -1, errno. */
int cx_interrupt_fd(void);

/* Unblocks them: one that waits ends the process here. */
void cx_interrupt_release(void);

#endif
