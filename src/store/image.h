/*
 * image.h - from an image's digest to the folders that a sandbox mounts.
 *
 * The store publishes beside each image's unpacked layers one small text file,
 * its stamp: roots/<hex of the manifest's digest>.image
 *
 *   cx-image 1
 *   layer sha256:<diff_id> <inode> <mtime s.ns> <ctime s.ns>   (top first)
 *
 * It is written last, so an image that can be opened is whole. Opening reads
 * that file and nothing else: no JSON, no libarchive, no database. The layers
 * were verified byte by byte when they were published; here inode and times
 * of each root folder must still be those of the stamp.
 *
 * This file's object stands alone (base and data/digest): linking it doesn't
 * pull in store/cas or store/tar.
 */
#ifndef CX_STORE_IMAGE_H
#define CX_STORE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "data/digest.h"

struct cx_state;

enum { CX_IMAGE_LAYERS_MAX = 128 };

struct cx_image_layer {
	char diff_id[CX_DIGEST_TEXT]; /* "sha256:...", of the plain tar */
	int root_fd;                  /* O_PATH of roots/<hex>, a folder */
};

struct cx_image {
	char digest[CX_DIGEST_TEXT];  /* of the OCI manifest */
	struct cx_image_layer *layer; /* top first */
	size_t layer_count;           /* 1 at least, up to the maximum */
	int lease_fd;                 /* flock(LOCK_SH) on the stamp: rm
	                                 and collection leave the image alone
	                                 while any process holds it; -1 on a
	                                 shared store whose lease is refused */
	bool shared;                  /* found in the shared store */
};

#define CX_IMAGE_EMPTY ((struct cx_image){ .lease_fd = -1 })

/*
 * A reference as it may stand in an argv: 1..255 bytes, no leading dash, of
 * A-Z a-z 0-9 . _ : / @ + and - only, no empty, "." or ".." path part. Else
 * unsafe_image_ref.
 */
int cx_image_ref_check(const char *ref, struct cx_err *err);

/*
 * Opens an image of state, else of shared (NULL for none). ref is "sha256:<64
 * hex>" or the name that cx-build list shows ("debian-13"), the caller's
 * choice of CX_L0_IMAGE and config l0; NULL is the L0 made last. Fails with
 * unsafe_image_ref, image_missing (says how to make one), layer_corrupt (a
 * root isn't as it was stamped), store_busy (being removed), io_error.
 * Free with cx_image_done.
 */
int cx_image_open(const struct cx_state *state, const struct cx_state *shared,
                  const char *ref, struct cx_image *ret, struct cx_err *err);

/* Closes the descriptors and so the lease, frees the list. */
void cx_image_done(struct cx_image *image);

#define CX_AUTO_IMAGE __attribute__((cleanup(cx_image_done)))

#endif
