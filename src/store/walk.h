/*
 * walk.h - everything below a folder that somebody else wrote.
 *
 * By descriptors, never by paths: no link is followed, nothing but folders is
 * opened, no file system but the top's is entered, and a chain deeper than
 * PATH_MAX is as good as any. A level costs a few bytes; only the innermost
 * CX_WALK_WINDOW levels keep a descriptor and a buffer. A level that was let
 * go is opened again through "..", and must be the same folder.
 *
 * Folders whose owner took his own permission away are opened for the time of
 * the walk and closed again behind it (an ordinary user needs that, root does
 * not).
 */
#ifndef CX_STORE_WALK_H
#define CX_STORE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"

enum { CX_WALK_WINDOW = 32 };

enum cx_walk_step {
	CX_WALK_FOLDER, /* a folder, before what is in it */
	CX_WALK_LEAVE,  /* the same folder, after; only its depth is told */
	CX_WALK_OTHER,  /* anything else */
};

struct cx_walk_level;

struct cx_walk {
	struct cx_walk_level *level; /* owned; [0] is the top */
	size_t depth;                /* open levels */
	size_t capacity;
	dev_t device;
	bool keep_path;              /* fill path, at the cost of its length */
	struct cx_buf path;          /* of the entry, from the top */
	bool descend;                /* the last entry is a folder to enter */
};

/* What cx_walk_next found. */
struct cx_walk_entry {
	enum cx_walk_step step;
	int folder_fd;               /* borrowed: the folder that it is in */
	const char *name;            /* borrowed until the next call */
	const char *path;            /* from the top; "" unless kept */
	size_t depth;                /* 1 for what stands in the top */
	struct stat stat;            /* not for CX_WALK_LEAVE */
};

/* Begins below top_fd (O_RDONLY, stays the caller's). 0 or -1, errno. */
int cx_walk_start(int top_fd, bool keep_path, struct cx_walk *ret);

/* The next entry: 1, or 0 at the end, or -1 and errno; EBUSY when a folder
 * was moved away under the walk. What vanishes meanwhile is passed over. */
int cx_walk_next(struct cx_walk *walk, struct cx_walk_entry *ret);

/* Don't enter the folder that cx_walk_next gave last. */
void cx_walk_skip(struct cx_walk *walk);

void cx_walk_done(struct cx_walk *walk);

/* Opens the folder name below folder_fd for reading, through no link. One that
 * its owner closed to himself is opened up: *ret_mode, which is 0 otherwise, is
 * what it had and must get back. The descriptor or -1, errno. */
int cx_walk_open(int folder_fd, const char *name, mode_t *ret_mode);

#define CX_AUTO_WALK __attribute__((cleanup(cx_walk_done)))

#endif
