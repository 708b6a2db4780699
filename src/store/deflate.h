/* deflate.h - bytes into a blob as zstd level 3 (libarchive's filter). */
#ifndef CX_STORE_DEFLATE_H
#define CX_STORE_DEFLATE_H

#include "store/blob.h"

struct archive;

struct cx_deflate {
	struct archive *archive;
	struct cx_blob *blob;  /* borrowed */
	struct cx_err *err;    /* of the running call */
};

#define CX_DEFLATE_NONE ((struct cx_deflate){ NULL, NULL, NULL })

/* blob is started and stays the caller's; it may not move meanwhile, and
 * neither may *ret. */
int cx_deflate_start(struct cx_blob *blob, struct cx_deflate *ret,
                     struct cx_err *err);
int cx_deflate_add(struct cx_deflate *deflate, const void *data, size_t size,
                   struct cx_err *err);

/* Writes the end of the frame; the blob isn't ended. */
int cx_deflate_end(struct cx_deflate *deflate, struct cx_err *err);

void cx_deflate_done(struct cx_deflate *deflate);
#define CX_AUTO_DEFLATE __attribute__((cleanup(cx_deflate_done)))

#endif
