/*
 * trial.h - each thing that a sandbox is made of, tried by itself.
 *
 * A trial is performed, not looked up: in a throw-away child, in the way in
 * which the set-up does it, and so that nothing is left of it. What refused
 * is then box/blocker's to find.
 */
#ifndef CX_BOX_TRIAL_H
#define CX_BOX_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/limit.h"

enum cx_trial_need {
	CX_TRIAL_REQUIRED, /* without it no command runs */
	CX_TRIAL_OPTIONAL, /* there is another way, or one wall less */
	CX_TRIAL_LIMIT,    /* required, unless best effort will do */
};

enum cx_trial_who { CX_TRIAL_ALL, CX_TRIAL_PRIVILEGED, CX_TRIAL_ROOTLESS };

/* What the trials of one process go by. */
struct cx_trial_world {
	bool privileged;   /* cx_box_is_privileged */
	int volume_fd;     /* a folder where workspaces stand, or -1 */
};

/* errno and the call that gave it, once it failed; 0: it worked. */
struct cx_trial_outcome {
	int sys;
	int signal;        /* that ended the child; else 0 */
	char call[24];
	char detail[64];   /* "ABI 6", "v1"; "" when there is none */
};

typedef int cx_trial_act(const struct cx_trial_world *world,
                         struct cx_trial_outcome *outcome);

struct cx_trial {
	const char *name;
	enum cx_trial_need need;
	enum cx_trial_who who;
	unsigned since;          /* CX_TRIAL_LINUX of its arrival; 0: always */
	enum cx_limit limit;     /* of CX_TRIAL_LIMIT */
	cx_trial_act *perform;
	const char *about;       /* one phrase */
};

#define CX_TRIAL_LINUX(major, minor) ((unsigned)((major) << 8 | (minor)))

extern const struct cx_trial cx_trial_table[];
extern const size_t cx_trial_count;

/* Whether this process would make a sandbox that way at all. */
bool cx_trial_applies(const struct cx_trial *trial,
                      const struct cx_trial_world *world);

/* Performs it; five seconds at most. */
void cx_trial_run(const struct cx_trial *trial,
                  const struct cx_trial_world *world,
                  struct cx_trial_outcome *ret);

/* For the acts: names the call that comes next, and keeps errno when its
 * result is below 0. CX_TRIAL_DO is both around one call. */
void cx_trial_say(struct cx_trial_outcome *outcome, const char *call);
int cx_trial_check(struct cx_trial_outcome *outcome, long result);
#define CX_TRIAL_DO(outcome, call, expression) \
	(cx_trial_say((outcome), (call)), \
	 cx_trial_check((outcome), (long)(expression)))

/* For the acts: inside() in a process of its own in new namespaces, below one
 * of this user's where it is rootless. */
int cx_trial_inside(const struct cx_trial_world *world, uint64_t flags,
                    cx_trial_act *inside, struct cx_trial_outcome *outcome);

#endif
