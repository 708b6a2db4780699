/*
 * worker.h - a process that carries out one order after the other.
 *
 * It holds no key and opens no carrier: what it runs was judged by the process
 * at the other end of its socket, and it believes that one. It ends when that
 * end is closed, and what it runs with it.
 */
#ifndef CX_RUN_WORKER_H
#define CX_RUN_WORKER_H

#include "run/broker.h"
#include "run/order.h"

/* Works for fd until its end. */
_Noreturn void cx_worker_run(struct cx_broker *broker,
                             const struct cx_order_flags *flags, int fd);

#endif
