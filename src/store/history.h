/*
 * history.h - reading the log, record by record, beside its writers.
 *
 * No lock is taken: a record is whole once its event's newline is there, and
 * what stands behind the last whole record of the newest segment is a writer
 * at work. Damage is a row like others, and reading goes on behind it.
 */
#ifndef CX_STORE_HISTORY_H
#define CX_STORE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/margin.h"
#include "store/lines.h"
#include "store/salvage.h"

struct cx_history {
	int dir_fd;           /* owned */
	uint64_t *first;      /* of each segment, sorted; owned */
	size_t count;
	size_t at;            /* segment that is read; count at the end */
	uint64_t index;       /* of the next record */
	struct cx_salvage_files files;
	struct cx_lines event, meta;
	bool is_open;         /* files and lines */
};

struct cx_history_row {
	uint64_t index;
	struct cx_margin margin; /* at "" when it can't be read */
	const char *line;      /* NULL when there is none; valid until the next
	                          call */
	size_t size;
	const char *damage;    /* what is wrong around it; NULL when nothing.
	                          The line itself isn't judged here */
};

/* audit_fd: the audit folder; origin: a folder in it. */
int cx_history_open(int audit_fd, const char *origin, struct cx_history *ret,
                    struct cx_err *err);

/* 1 with a row, 0 at the end, -1. */
int cx_history_next(struct cx_history *history, struct cx_history_row *ret,
                    struct cx_err *err);

void cx_history_done(struct cx_history *history);
#define CX_AUTO_HISTORY __attribute__((cleanup(cx_history_done)))

/* The names of all logs in the audit folder, sorted, NULL-ended; free each
 * and the list. */
char **cx_history_origins(int audit_fd);

#endif
