/* npm.h - npm from the npm registry's own tarball, pinned by integrity.
 * (Debian's package npm would bring 178 MB of packages with it.) */
#ifndef CX_BUILD_NPM_H
#define CX_BUILD_NPM_H

#include "build/progress.h"
#include "build/recipe.h"
#include "store/draft.h"

/*
 * Fetches the recipe's npm from registry (NULL: the one that this machine's
 * npm uses) into a file without a name, and checks it: digest_mismatch when it
 * isn't what the recipe pins. Nothing of it is run, here or later.
 */
int cx_npm_fetch(const struct cx_cas *cas, const struct cx_recipe *recipe,
                 const char *registry, const struct cx_progress *progress,
                 int *ret_fd, struct cx_err *err);

/* Unpacks what was fetched below usr/local. */
int cx_npm_unpack(int fd, struct cx_draft *draft, struct cx_err *err);

#endif
