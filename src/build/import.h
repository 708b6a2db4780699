/*
 * import.h - anyone's image as a base: an OCI image layout (a folder or a
 * tar), or the tar of a root file system, each plain, gzip or zstd. Hostile
 * archives are refused whole; what is taken keeps its digest.
 */
#ifndef CX_BUILD_IMPORT_H
#define CX_BUILD_IMPORT_H

#include "build/progress.h"
#include "store/cas.h"

struct cx_import {
	const char *path;
	const char *name;    /* NULL: the image's own, else "imported" */
	const char *digest;  /* of the manifest that is meant, or NULL */
	bool refresh;
	const struct cx_progress *progress;
};

/* Publishes it as the default base. *ret_built is false when the store had it
 * whole already. */
int cx_import_make(const struct cx_cas *cas, const struct cx_import *import,
                   char ret_digest[CX_DIGEST_TEXT], bool *ret_built,
                   struct cx_err *err);

#endif
