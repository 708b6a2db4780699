/*
 * tarhead.h - the header of the next member of a tar file, put together from
 * its block and what stood before it (pax records, GNU long names).
 */
#ifndef CX_STORE_TARHEAD_H
#define CX_STORE_TARHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/tarblock.h"

enum { CX_TARHEAD_RECORDS_MAX_BYTES = 1 << 20 };

struct cx_tarhead {
	char type;             /* of the block: '0', '5', ... */
	struct cx_buf path;    /* without a final slash */
	struct cx_buf link;
	uint64_t size;         /* of what follows */
	uint64_t real_size;    /* sparse: of the file */
	uint64_t mtime;
	unsigned mode;         /* permission bits only */
	bool sparse;           /* GNU 1.0: a map stands before the data */
};

void cx_tarhead_done(struct cx_tarhead *head);
#define CX_AUTO_TARHEAD __attribute__((cleanup(cx_tarhead_done)))

/* 1 and *ret, 0 at the end of the archive, -1 (CX_E_INPUT_INVALID). ret must
 * be zeroed or used before. */
int cx_tarhead_next(int fd, struct cx_tarhead *ret, struct cx_err *err);

/* Reads exactly size bytes, or what is wrong. */
int cx_tarhead_read(int fd, void *data, size_t size, struct cx_err *err);

#endif
