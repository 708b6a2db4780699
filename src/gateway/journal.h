/*
 * journal.h - the operator's log of destinations, as the data path sees it:
 * off unless egress.log is there.
 *
 * A line is JSON: time, orgId, jobId, host and port (or asked, what was asked
 * for where that is no host), via, decision, status, reason, address, upBytes,
 * downBytes, durationMs. Nothing waits for it, and what finds no room is
 * counted.
 */
#ifndef CX_GATEWAY_JOURNAL_H
#define CX_GATEWAY_JOURNAL_H

#include "gateway/room.h"
#include "gateway/scribe.h"

struct cx_journal {
	char *path;                /* owned; NULL: there is no log */
	struct cx_scribe scribe;
	struct cx_room visits;     /* a struct cx_visit for each tunnel */
	uint64_t lost;             /* lines, since one was taken */
	bool gone;                 /* its process is, and that was said */
};

#define CX_JOURNAL_NONE ((struct cx_journal){ .scribe = CX_SCRIBE_NONE })

/* The configuration's, for as many tunnels. */
int cx_journal_start(const struct cx_config *config, uint32_t tunnels,
                     struct cx_journal *ret, struct cx_err *err);

/* The bounds are read again, and the file is opened again. Another path, or
 * none, would need a new start: config_invalid. */
int cx_journal_reload(struct cx_journal *journal,
                      const struct cx_config *config, struct cx_err *err);
void cx_journal_done(struct cx_journal *journal);

enum { CX_JOURNAL_LINE_MAX = CX_SCRIBE_LINE_MAX - CX_SCRIBE_LOSS_BYTES };

/* A line that is being written: what doesn't fit makes it no line. */
struct cx_journal_line {
	size_t size;
	bool full;
	char text[CX_JOURNAL_LINE_MAX];
};

/* A member: "name":"text" with what JSON can't hold as it is escaped. A
 * text that isn't UTF-8 is said to be raw, and goes byte by byte. */
void cx_journal_text(struct cx_journal_line *line, const char *name,
                     const char *text, bool raw);
void cx_journal_number(struct cx_journal_line *line, const char *name,
                       uint64_t number);

/* Its end is written, and it is let go. */
void cx_journal_add(struct cx_journal *journal, struct cx_journal_line *line);

#endif
