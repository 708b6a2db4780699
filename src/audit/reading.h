/*
 * reading.h - the records that a reader asked for, one line each.
 */
#ifndef CX_AUDIT_READING_H
#define CX_AUDIT_READING_H

#include "audit/filter.h"
#include "store/state.h"

enum { CX_READING_LAST_MAX = 100000 };

struct cx_reading {
	struct cx_filter filter;
	uint64_t limit;     /* stop after so many; 0: no bound */
	uint64_t last;      /* only the last so many; 0: all */
	/* One line {"index", "at", "event"}, no newline. false: stop. */
	bool (*give)(const char *line, size_t size, void *context);
	void *context;
	/* results */
	uint64_t given;
	uint64_t damaged;   /* records that aren't as they were written */
	uint64_t gap;       /* records that are known to be missing */
	struct cx_err first; /* audit_chain_broken: the first damage */
};

/* A store that isn't there gives nothing and is no error. */
int cx_reading_run(struct cx_reading *reading, struct cx_err *err);

#endif
