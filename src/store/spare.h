/*
 * spare.h - workspaces that were given back untouched, used again.
 *
 * To make a folder and to remove it costs some filesystems as much as half a
 * sandbox. A passing workspace whose command left nothing in it, nor anything
 * on it (mode, owner, size, extended attributes, flags, generation), is moved
 * to volumes/spare/<n> instead, and from there to its next name. Its times
 * are set as it goes in, so that they don't tell what was done before.
 */
#ifndef CX_STORE_SPARE_H
#define CX_STORE_SPARE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "store/state.h"

/* How data/ was when it was handed out. */
struct cx_spare_form {
	struct stat stat;
	int flags;
	int generation;
};

/* volumes/spare, made when it isn't there; -1 when it can't be. */
int cx_spare_open(const struct cx_state *state);

/* Moves one to name below org_fd; false when there is none. */
bool cx_spare_take(int spare_fd, int org_fd, const char *name);

void cx_spare_look(int data_fd, struct cx_spare_form *ret);

/* Moves the folder name of org_fd, which the caller leased alone, among the
 * spare ones, if its data/ is empty and as it was handed out. */
bool cx_spare_put(int spare_fd, int org_fd, const char *name, int data_fd,
                  const struct cx_spare_form *form);

#endif
