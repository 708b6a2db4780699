/* debian.h - a base of Debian packages, made by mmdebstrap. */
#ifndef CX_BUILD_DEBIAN_H
#define CX_BUILD_DEBIAN_H

#include "build/progress.h"
#include "build/recipe.h"
#include "store/draft.h"

/*
 * Fills draft by running mmdebstrap (as root in mode root, as an ordinary user
 * in mode unshare, for which subordinate ids are needed) and unpacking what it
 * writes. Neither the mirror's address nor anything else of this machine stays
 * in it. mirror: NULL for the one of apt's configuration.
 */
int cx_debian_fill(struct cx_draft *draft, const struct cx_recipe *recipe,
                   const char *mirror, const struct cx_progress *progress,
                   struct cx_err *err);

#endif
