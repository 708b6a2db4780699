/*
 * blob.h - a blob being written: in roots/.tmp, hashed on the way, leased so
 * that nobody takes it for a dead process's. Publishing gives it its name.
 */
#ifndef CX_STORE_BLOB_H
#define CX_STORE_BLOB_H

#include "store/cas.h"

enum { CX_BLOB_NAME = 32 };

struct cx_blob {
	int tmp_fd;                   /* borrowed from the store */
	int fd;                       /* -1: nothing is being written */
	char name[CX_BLOB_NAME];      /* in roots/.tmp */
	struct cx_digest_stream hash;
	uint64_t size;
	struct cx_digest digest;      /* set by cx_blob_end */
};

#define CX_BLOB_NONE ((struct cx_blob){ .tmp_fd = -1, .fd = -1 })

int cx_blob_start(const struct cx_cas *cas, struct cx_blob *ret,
                  struct cx_err *err);
int cx_blob_add(struct cx_blob *blob, const void *data, size_t size,
                struct cx_err *err);

/* Syncs it and sets digest. */
int cx_blob_end(struct cx_blob *blob, struct cx_err *err);

/* Start, add and end of what stands in memory. */
int cx_blob_whole(const struct cx_cas *cas, const void *data, size_t size,
                  struct cx_blob *ret, struct cx_err *err);

/* Moves an ended blob to blobs/sha256; under the store's lock. */
int cx_blob_publish(struct cx_blob *blob, const struct cx_cas *cas,
                    struct cx_err *err);

/* Removes what wasn't published. */
void cx_blob_done(struct cx_blob *blob);
#define CX_AUTO_BLOB __attribute__((cleanup(cx_blob_done)))

#endif
