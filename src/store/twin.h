/*
 * twin.h - the same place in another tree, beside a walk (store/walk.h).
 *
 * As careful as the walk: by descriptors, through no link, any depth, only the
 * innermost CX_WALK_WINDOW levels open. Where the other tree has no such
 * folder, the twin stands nowhere until the walk comes out again.
 *
 *	while ((got = cx_walk_next(&walk, &entry)) > 0) {
 *		cx_twin_to(&twin, entry.depth);
 *		if (entry.step == CX_WALK_LEAVE)
 *			continue;
 *		... entry.name below cx_twin_fd(&twin) ...
 *		if (entry.step == CX_WALK_FOLDER)
 *			cx_twin_enter(&twin, entry.name);
 *	}
 */
#ifndef CX_STORE_TWIN_H
#define CX_STORE_TWIN_H

#include <stddef.h>
#include <sys/stat.h>

struct cx_twin_level;

struct cx_twin {
	struct cx_twin_level *level; /* owned; [0] is the top */
	size_t depth;                /* levels; 1 at the top */
	size_t capacity;
	size_t lost;                 /* levels below that it doesn't have */
};

/* Stands at top_fd, which stays the caller's; -1: a tree with nothing in it.
 * 0 or -1, errno. */
int cx_twin_start(int top_fd, struct cx_twin *ret);

/* Leaves folders until depth of them are left. 0 or -1, errno (EBUSY when one
 * was moved away). */
int cx_twin_to(struct cx_twin *twin, size_t depth);

/* Goes into the folder name. 0, also when there is none, or -1, errno. */
int cx_twin_enter(struct cx_twin *twin, const char *name);

/* The folder where it stands; -1: nowhere. */
int cx_twin_fd(const struct cx_twin *twin);

/* This folder gets like's mode and times when it is left. */
void cx_twin_dress(struct cx_twin *twin, const struct stat *like);

/* Leaves all. 0 or -1, errno: a folder didn't get its mode or times. */
int cx_twin_finish(struct cx_twin *twin);

void cx_twin_done(struct cx_twin *twin);

#define CX_AUTO_TWIN __attribute__((cleanup(cx_twin_done)))

#endif
