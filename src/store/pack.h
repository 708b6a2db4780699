/*
 * pack.h - a layer's tar, the same bytes for the same content always: entries
 * sorted by bytes, pax only where ustar can't say it, numeric ids, no names of
 * owners, whole seconds, no access or change times.
 */
#ifndef CX_STORE_PACK_H
#define CX_STORE_PACK_H

#include "store/entry.h"
#include "store/blob.h"

struct cx_packed {
	struct cx_digest diff_id; /* of the uncompressed tar */
	uint64_t bytes;           /* its size */
};

/* Writes list (sorted, relinked), its files from root_fd, into blob as a zstd
 * compressed tar. blob is started and stays the caller's to end. */
int cx_pack_write(int root_fd, const struct cx_entries *list,
                  struct cx_blob *blob, struct cx_packed *ret,
                  struct cx_err *err);

#endif
