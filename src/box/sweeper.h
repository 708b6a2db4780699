/*
 * sweeper.h - the process that outlives its launcher.
 *
 * Started before anything is made, in a session of its own, holding the
 * subtree's folders and the read end of a lifeline. When the launcher is done
 * it says so and the sweeper ends; when the launcher dies (kill -9 too) the
 * lifeline closes, and the sweeper removes what init, inside, can't reach:
 * the control groups. It also makes the network namespace, which takes as
 * long as all else together, while the launcher and init do the rest.
 */
#ifndef CX_BOX_SWEEPER_H
#define CX_BOX_SWEEPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "box/box.h"
#include "sys/subtree.h"

/* What comes down ready_fd: twice once it is there and the network namespace
 * is, if it is to make one, which can be entered then; and in that case a last
 * one once loopback is up and it has looked around in there. */
struct cx_sweeper_word {
	int error;   /* errno, 0: so it is */
	bool last;
	bool alone;  /* in the last: nothing but loopback in it */
};

/*
 * A standing one serves one box after the other: the last word comes alone, and
 * once more for each network namespace that it is asked for.
 */
struct cx_sweeper {
	pid_t pid;        /* 0: none */
	int lifeline_fd;  /* the only write end; owned */
	int ready_fd;     /* read end; owned */
	bool network;     /* it stands in the network namespace that it made */
};

#define CX_SWEEPER_NONE { .pid = 0, .lifeline_fd = -1, .ready_fd = -1 }

/* box.id names its groups; hooks.orphaned is called when the launcher died. 0
 * or -1, errno. */
int cx_sweeper_start(const struct cx_subtree *subtree,
                     const struct cx_box *box, bool network, bool standing,
                     struct cx_sweeper *ret);

/* Waits for a word; 0, or -1 and errno when there comes none. */
int cx_sweeper_listen(int ready_fd, struct cx_sweeper_word *ret);

/* Has a standing one make another network namespace. */
void cx_sweeper_renew(const struct cx_sweeper *sweeper);

/* Waits for a standing one's word: 0, or -1 and errno. */
int cx_sweeper_hear(const struct cx_sweeper *sweeper);

/* False when it died: nobody will carry out what it is told. */
bool cx_sweeper_lives(const struct cx_sweeper *sweeper);

/* No process is left in the command's group, or none will be in a moment, and
 * nobody needs it any more: it removes it meanwhile. */
void cx_sweeper_remove(const struct cx_sweeper *sweeper);

/* All else is done: lets it go, which removes a group that still stands, and
 * waits for its end unless the caller leaves now; whoever adopts the sweeper
 * then reaps it. */
void cx_sweeper_dismiss(struct cx_sweeper *sweeper, bool leaves);

#endif
