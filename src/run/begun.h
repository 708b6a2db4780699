/*
 * begun.h - run/started/<command id>: a command that began and whose audit row
 * isn't written yet.
 *
 * A worker has one file, with its first command's name, for one command after
 * the other: to make and remove one each time would cost it more than the row.
 * Between two commands it is empty.
 *
 * The file says whose command it is and carries a lease (flock), so that a
 * later cx-run can tell one whose launcher died: it then writes the row, with
 * termination lost, and takes away what is left.
 */
#ifndef CX_RUN_BEGUN_H
#define CX_RUN_BEGUN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/event.h"
#include "run/broker.h"

struct cx_begun {
	int folder_fd;     /* run/started */
	int lease_fd;      /* the file; -1: none was made */
	char id[64];       /* its name */
	bool stays;        /* for the next command */
};

#define CX_BEGUN_NONE { .folder_fd = -1, .lease_fd = -1 }

/* Marks the command id of event as begun; passing says that its workspace
 * goes with it. What can't be written is left out: the command's own row is
 * written all the same. begun is NONE, or one that stays. */
void cx_begun_mark(const struct cx_state *state, const char *id,
                   const char *key, const struct cx_event *event,
                   bool passing, struct cx_begun *begun);

/* Takes the mark away: its row is written, or nothing ran. */
void cx_begun_clear(struct cx_begun *begun);

/* Takes the file of one that stays away. */
void cx_begun_done(struct cx_begun *begun);

/* Writes the rows of commands whose launcher died, and takes away their
 * workspaces where those pass. */
void cx_begun_sweep(struct cx_broker *broker);

#endif
