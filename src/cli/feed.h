/*
 * feed.h - documents from a descriptor, one after the other.
 *
 * NDJSON when the first byte that isn't white space opens a JSON value, else
 * YAML documents separated by "---" lines. Memory is bounded by the largest
 * document (16 MiB), whatever the length of the stream.
 */
#ifndef CX_CLI_FEED_H
#define CX_CLI_FEED_H

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
	int (*before_read)(void *context); /* e.g. flushes output; or NULL */
	void *context;
};

void cx_feed_start(struct cx_feed *feed, int fd);
void cx_feed_done(struct cx_feed *feed);

/*
 * The next document's text: 1 and *ret_text (borrowed until the next call),
 * 0 at the end, -1 with *err. After CX_E_INPUT_INVALID (a document over the
 * cap) the next call goes on behind it; any other error is final.
 */
int cx_feed_next(struct cx_feed *feed, const char **ret_text, size_t *ret_size,
                 struct cx_err *err);

#endif
