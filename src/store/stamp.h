/*
 * stamp.h - the text file that makes a published image openable.
 *
 *   cx-image 1
 *   layer sha256:<diff_id> <inode> <mtime s.ns> <ctime s.ns>   (top first)
 *
 * Written last at publish, removed first at removal. The numbers are those of
 * the layer's root folder, so a root that was replaced or changed at its top
 * is noticed for the price of one fstat.
 */
#ifndef CX_STORE_STAMP_H
#define CX_STORE_STAMP_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "data/digest.h"

#define CX_STAMP_DEFAULT "default" /* default.ref: the L0 made last */

enum {
	CX_STAMP_NAME = 72,      /* "<64 hex>.image" */
	CX_STAMP_MAX = 32 * 1024,
};

struct cx_stamp_line {
	struct cx_digest diff_id;
	uint64_t inode;
	int64_t mtime_s, mtime_ns, ctime_s, ctime_ns;
};

/* The names in roots/: of an image's seal and of a layer's folder. */
void cx_stamp_name(const struct cx_digest *manifest, char ret[CX_STAMP_NAME]);
void cx_stamp_root(const struct cx_digest *diff_id, char ret[CX_STAMP_NAME]);

/* Reading: the head line, then each layer line; *text moves on. 0 or -1. */
int cx_stamp_head(const char **text);
int cx_stamp_read(const char **text, struct cx_stamp_line *ret);

/* O_PATH of the layer's root, which is as the line says; else layer_corrupt. */
int cx_stamp_open(int roots_fd, const struct cx_stamp_line *line,
                 struct cx_err *err);

/* Writing: the head, then a line for each layer, as it stands now. */
void cx_stamp_start(struct cx_buf *ret);
int cx_stamp_add(int roots_fd, const struct cx_digest *diff_id,
                struct cx_buf *ret, struct cx_err *err);

#endif
