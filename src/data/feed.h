/*
 * feed.h - documents from a descriptor, one after the other.
 *
 * NDJSON when the first byte that isn't white space opens a JSON value, else
 * YAML documents separated by "---" lines. Memory is bounded by the largest
 * document (16 MiB), whatever the length of the stream.
 *
 * A document that goes on over several lines, as jq without -c writes it, is
 * one fault, told once: no line that is indented, or closes something, is taken
 * for another document until one begins.
 */
#ifndef CX_DATA_FEED_H
#define CX_DATA_FEED_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

enum cx_feed_mode { CX_FEED_UNKNOWN, CX_FEED_LINES, CX_FEED_YAML };

struct cx_feed {
	int fd;                  /* borrowed */
	enum cx_feed_mode mode;
	struct cx_buf have;      /* read, not yet given out */
	size_t start;            /* of the next document in have */
	size_t count;            /* documents given out */
	size_t scanned;          /* no end of document before this */
	bool ended;              /* end of file seen */
	bool skipping;           /* inside a document that was too large */
	bool spread;             /* inside one that goes over several lines */
	int (*before_read)(void *context); /* e.g. flushes output; or NULL */
	void *context;
};

void cx_feed_start(struct cx_feed *feed, int fd);
void cx_feed_done(struct cx_feed *feed);

/*
 * The next document's text: 1 and *ret_text (borrowed until the next call),
 * 0 at the end, -1 with *err. After CX_E_INPUT_INVALID (a document over the
 * cap, or over several lines) the next call goes on behind it; any other error
 * is final.
 */
int cx_feed_next(struct cx_feed *feed, const char **ret_text, size_t *ret_size,
                 struct cx_err *err);

/* The same out of what was read already: 0 when no whole document is there. */
int cx_feed_take(struct cx_feed *feed, const char **ret_text, size_t *ret_size,
                 struct cx_err *err);

/* Reads once; feed->ended says that there is no more. For who waits for
 * several descriptors and takes with cx_feed_take. */
int cx_feed_fill(struct cx_feed *feed, struct cx_err *err);

/* A document has begun, and its end wasn't read yet (after take gave 0). */
bool cx_feed_is_partial(const struct cx_feed *feed);

#endif
