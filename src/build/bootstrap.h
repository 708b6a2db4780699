/* bootstrap.h - one run of mmdebstrap: its argv, its pipes, its end. */
#ifndef CX_BUILD_BOOTSTRAP_H
#define CX_BUILD_BOOTSTRAP_H

#include "build/mirror.h"
#include "build/progress.h"
#include "build/warden.h"

struct cx_bootstrap {
	const struct cx_progress *progress;
	struct cx_warden warden;
	int out_fd;          /* its standard output: the tar */
	int err_fd;          /* its messages */
	struct cx_buf tail;  /* the last of them */
};

#define CX_BOOTSTRAP_NONE \
	((struct cx_bootstrap){ NULL, { -1, -1 }, -1, -1, { NULL, 0, 0 } })

/* Starts it. A machine without mmdebstrap, or a user without subordinate ids,
 * is told what to do. */
int cx_bootstrap_start(const struct cx_recipe *recipe,
                       const struct cx_mirror *mirror,
                       const struct cx_progress *progress,
                       struct cx_bootstrap *ret, struct cx_err *err);

/* Waits until it writes its tar (or ends), telling progress what it says. An
 * interrupt ends it and is a failure. */
int cx_bootstrap_wait(struct cx_bootstrap *bootstrap, struct cx_err *err);

/* Waits for its end; what it complained of when that isn't exit 0. */
int cx_bootstrap_end(struct cx_bootstrap *bootstrap, struct cx_err *err);

/* Ends it, when it runs still, and waits until it has cleaned up. */
void cx_bootstrap_done(struct cx_bootstrap *bootstrap);
#define CX_AUTO_BOOTSTRAP __attribute__((cleanup(cx_bootstrap_done)))

#endif
