/*
 * launch.h - one command of an order in one sandbox, with its audit row.
 */
#ifndef CX_RUN_LAUNCH_H
#define CX_RUN_LAUNCH_H

#include "run/broker.h"
#include "run/ground.h"
#include "run/order.h"

/* How the tool ends besides the result. */
struct cx_launch_end {
	bool over_quota;   /* the job is over */
	bool exited_zero;
	bool cancelled;
};

/*
 * Runs command number index (from 0). *ret_result is its result, owned, also
 * on failure (then it is a denied one, and recorded as such).
 */
int cx_launch_run(struct cx_broker *broker, const struct cx_order *order,
                  struct cx_ground *ground, size_t index, int cancel_fd,
                  json_t **ret_result, struct cx_launch_end *ret_end,
                  struct cx_err *err);

/* Records that command number index didn't run. The order may be unfinished;
 * nothing of a carrier that didn't open is used. */
void cx_launch_deny(struct cx_broker *broker, const struct cx_order *order,
                    const struct cx_ground *ground, size_t index,
                    enum cx_class reason);

#endif
