/*
 * box.h - one command in one fresh sandbox.
 *
 * The caller has decided everything: carrier, policy, quota, workspace. What
 * comes in is descriptors and data, never a path of the host.
 */
#ifndef CX_BOX_BOX_H
#define CX_BOX_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "box/plan.h"
#include "box/report.h"
#include "model/profile.h"
#include "sys/portal.h"

enum {
	CX_BOX_LAYERS_MAX = 128,
	CX_BOX_HOLD_MAX = 8,
	CX_BOX_COMMAND_MAX_BYTES = 8 * 1024 * 1024,
	CX_BOX_ARGUMENT_MAX_BYTES = 131071, /* what execve takes as one */
};

struct cx_guard;
struct cx_late;

struct cx_box_layer {
	const char *digest;  /* "sha256:<64 hex>" */
	int fd;              /* O_PATH, a folder of ours; all of one store stand
	                        beside each other */
};

/* Who reads what is passed on, of streams 1 and 2. */
struct cx_box_readers {
	int fd[2];    /* to be told of when it takes more; -1: nothing waits */
	bool full[2]; /* so much waits that the stream is better not read */
};

#define CX_BOX_READERS_NONE { .fd = { -1, -1 } }

/* Events while the command runs; each may be NULL. */
struct cx_box_hooks {
	void *context;
	/* Bytes of a stream (1, 2) as they came, for --follow and --raw; none
	 * over the stream's cap where that ends the command. */
	void (*output)(void *context, int stream, const char *data,
	               size_t size);
	/* For output that has readers of its own pace: who they are (*ret is
	 * none), and that one of their descriptors takes more. */
	void (*readers)(void *context, struct cx_box_readers *ret);
	void (*push)(void *context);
	/* The command was executed. */
	void (*started)(void *context);
	/* Called now and then while the command runs below init (see
	 * box/tally.h): looks at the workspace and says in how many
	 * microseconds to look again; below 0 ends the run as
	 * disk_quota_exceeded. */
	int64_t (*look)(void *context, pid_t init);
	/* Called once, when the launcher has nothing to do any more but wait:
	 * for what else would be done at the command's end. */
	void (*idle)(void *context);
	/* The launcher died, and nothing of the sandbox is left: called in the
	 * sweeper, which has kept hold_fd open until then, and nothing else
	 * of the launcher's descriptors. */
	void (*orphaned)(void *context);
	int hold_fd[CX_BOX_HOLD_MAX]; /* -1: none */
};

/*
 * For the tiers that ride a gateway: the sandbox's network has a portal
 * (sys/portal.h), which is handed over before the command runs.
 */
struct cx_box_portal {
	/* NULL: there is none. Called in the launcher once the sockets stand
	 * in the sandbox's network; it takes those that it wants (sets fd to
	 * -1), the others are closed. -1 and *err: the command never runs. */
	int (*hand_over)(void *context, struct cx_portal *portal,
	                 struct cx_err *err);
	void *context;
	const uint16_t *port; /* admitted: served without nf_tables, too */
	size_t ports;
};

struct cx_box {
	const struct cx_profile *profile;
	const char *id;             /* of the command: [a-z0-9-] */

	struct cx_box_layer layer[CX_BOX_LAYERS_MAX]; /* top first */
	size_t layer_count;
	int workspace_fd;           /* the folder that is /workspace */
	const char *workspace_name; /* its volume's name, no separator */
	int skills_fd;              /* -1: none */
	const char *skills_name;

	const char *command;        /* text for bash -c, or NULL: argv */
	char *const *argv;          /* NULL-ended */
	int stdin_fd;               /* seekable file or memfd; -1: /dev/null */

	/* Outside: a uid and gid that nobody else has (the workspace on disk
	 * is 10001's and is id-mapped), or rootless: ignored, the caller's. */
	uid_t outer_uid;
	gid_t outer_gid;

	/* NULL: native. Else an OCI runtime's name in PATH, or its path; it
	 * demands that uid and gid 0 are mapped, so they are to void_uid and
	 * its like, which own nothing and which nobody can become. */
	const char *runtime;
	uid_t void_uid;
	struct cx_guard *guard;     /* of guard.h, that it runs under; NULL */
	struct cx_late *late;       /* of late.h: the command and its volumes
	                               are yet to come; NULL */
	int cancel_fd;              /* readable: end it as cancelled; -1 */
	bool leave;                 /* the caller ends with this command: what
	                               ends by itself isn't waited for */
	struct cx_box_hooks hooks;
	struct cx_box_portal portal;
};

/* All -1 and NULL. */
void cx_box_start(struct cx_box *ret);

/* May this process map foreign ids, so that outer_uid counts? False for an
 * ordinary user, root of a user namespace, and root without CAP_SYS_ADMIN. */
bool cx_box_is_privileged(void);

/* The plan for this box on this machine, checked; for spec --explain. Its
 * descriptors may be -1. */
int cx_box_plan(const struct cx_box *box, struct cx_plan *ret,
                struct cx_err *err);

/*
 * Plans, checks, runs, waits; no process of the sandbox runs any more, and
 * after cx_report_done nothing of it is left (with leave: a moment after, by
 * the sweeper). 0: the command ran, and *ret tells how it ended. -1: it never
 * ran, and ret->fault is the step that failed, if it came so far:
 * CX_E_BIND_MOUNT_REFUSED (the plan), CX_E_QUOTA_UNENFORCEABLE,
 * CX_E_ISOLATION_UNAVAILABLE and CX_E_NETWORK_NOT_ISOLATED (with the remedy),
 * else CX_E_WORKER_ERROR. *ret must be given to cx_report_done either way.
 *
 * argv of a program that isn't there is the command's own failure: exited
 * with 127 or 126, with a line on its standard error. A missing shell for
 * command is worker_error at step exec, a missing cwd at step cwd.
 */
int cx_box_run(const struct cx_box *box, struct cx_report *ret,
               struct cx_err *err);

#endif
