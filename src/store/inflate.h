/*
 * inflate.h - a layer's bytes, decompressed (gzip, zstd or as they are), with
 * the digest of what comes out and a cap on how much does.
 */
#ifndef CX_STORE_INFLATE_H
#define CX_STORE_INFLATE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "data/digest.h"

struct archive;

enum cx_inflate_form {
	CX_INFLATE_PLAIN,
	CX_INFLATE_GZIP,
	CX_INFLATE_ZSTD,
};

/* Gets the bytes as they come in, and as they come out. */
typedef int cx_inflate_tap(const void *data, size_t size, void *context,
                           struct cx_err *err);

struct cx_inflate {
	int fd;                     /* borrowed */
	cx_inflate_tap *tap_in;     /* NULL: none */
	void *tap_in_context;
	cx_inflate_tap *tap_out;
	void *tap_out_context;
	uint64_t bytes_max;         /* of what comes out; 0: a default */
	/* the rest is inflate.c's */
	struct archive *archive;
	struct cx_err *err;
	char *chunk;
	uint64_t in, out;
	struct cx_digest_stream hash;
};

/* Starts on what the caller filled in of *inflate, which may not move. */
int cx_inflate_start(struct cx_inflate *inflate, struct cx_err *err);

/* The next bytes (valid until the next call); 0 at the end, -1. A broken
 * stream, or one that swells beyond reason, is layer_corrupt. */
ssize_t cx_inflate_read(struct cx_inflate *inflate, const void **ret_data,
                        struct cx_err *err);

/* Reads what is left; then the digest of all that came out, and its size. */
int cx_inflate_end(struct cx_inflate *inflate, struct cx_digest *ret_digest,
                   uint64_t *ret_bytes, struct cx_err *err);

/* How the bytes came, once some were read. */
enum cx_inflate_form cx_inflate_form(const struct cx_inflate *inflate);

void cx_inflate_done(struct cx_inflate *inflate);
#define CX_AUTO_INFLATE __attribute__((cleanup(cx_inflate_done)))

#endif
