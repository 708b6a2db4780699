/* l0.h - making a base image, or taking one that is made already. */
#ifndef CX_BUILD_L0_H
#define CX_BUILD_L0_H

#include <stdbool.h>

#include "build/progress.h"
#include "data/shape.h"

struct cx_l0_order {
	const char *shipped;  /* name of a recipe that is shipped, or */
	const char *recipe;   /* path of a recipe, or */
	const char *import;   /* path of an image or root file system; with
	                         none of the three the shipped debian-13 */
	const char *name;     /* for an import; NULL: its own, or "imported" */
	const char *digest;   /* for an import: the manifest wanted, or NULL */
	const char *mirror;   /* Debian's, NULL: from apt's configuration */
	const char *registry; /* npm's, NULL: from npm's configuration */
	bool refresh;         /* make it anew though it is there */
	const struct cx_progress *progress;
};

/* What the verb prints. */
extern const struct cx_shape cx_listing_l0_shape;

/*
 * Checks the order (usage), makes the image, publishes it as the default L0
 * and describes it in *ret_document (owned by the caller). One process makes
 * an image of a recipe; others that ask for it meanwhile wait and get the
 * same. Interrupts are held back from the point on where there is something to
 * clean up; the caller releases them.
 */
int cx_l0_make(const struct cx_l0_order *order, json_t **ret_document,
               struct cx_err *err);

#endif
