/*
 * fresh.h - a new file that gets its name when it is whole.
 *
 * It has none while it is written (O_TMPFILE), so that a killed process leaves
 * nothing; where the file system can't do that, a name of our own.
 */
#ifndef CX_STORE_FRESH_H
#define CX_STORE_FRESH_H

#include "base/err.h"

struct cx_fresh {
	int folder_fd;   /* borrowed */
	int fd;          /* owned, O_RDWR, mode 0600 */
	char name[24];   /* our own, "" while it has none */
};

#define CX_FRESH_NONE { .folder_fd = -1, .fd = -1 }
#define CX_AUTO_FRESH __attribute__((cleanup(cx_fresh_done)))

/* 0 or -1, errno. */
int cx_fresh_make(int folder_fd, struct cx_fresh *ret);

/* Puts it in the place of name: what stood there (a link as well) is replaced,
 * a folder is not. 0 or -1, errno. */
int cx_fresh_place(struct cx_fresh *fresh, const char *name);

/* Closes it; one without its name is gone. */
void cx_fresh_done(struct cx_fresh *fresh);

#endif
