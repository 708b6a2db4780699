/*
 * layout.h - an OCI image layout that somebody else wrote: which image of it
 * is meant, and its manifest and configuration, each checked by digest.
 */
#ifndef CX_BUILD_LAYOUT_H
#define CX_BUILD_LAYOUT_H

#include "data/digest.h"
#include "data/json.h"

struct cx_layout_image {
	char digest[CX_DIGEST_TEXT]; /* of the manifest */
	char *media_type;            /* of the manifest; owned */
	char *name;                  /* its name in the index, or NULL; owned */
	struct cx_buf manifest_text; /* as it stands */
	struct cx_buf config_text;
	json_t *manifest, *config;   /* owned */
};

/*
 * Finds the image: the one of digest, else the only one for this machine.
 * More than one is input_invalid and says how to choose; another platform
 * likewise; bytes that don't have their digest are layer_corrupt.
 */
int cx_layout_find(int layout_fd, const char *digest,
                   struct cx_layout_image *ret, struct cx_err *err);

/* A blob's descriptor, regular and of the size that is said; -1. */
int cx_layout_open(int layout_fd, const json_t *descriptor, int *ret_fd,
                   struct cx_err *err);

void cx_layout_done(struct cx_layout_image *image);
#define CX_AUTO_LAYOUT __attribute__((cleanup(cx_layout_done)))

#endif
