/* npm.h - npm from the npm registry's own tarball, pinned by integrity.
 * (Debian's package npm would bring 178 MB of packages with it.) */
#ifndef CX_BUILD_NPM_H
#define CX_BUILD_NPM_H

#include "build/progress.h"
#include "build/recipe.h"
#include "store/draft.h"

/*
 * Fetches the recipe's npm from registry (NULL: the one that this machine's
 * npm uses), checks it and unpacks it below usr/local. It is fetched whole and
 * checked before anything is unpacked; nothing of it is run.
 */
int cx_npm_add(const struct cx_cas *cas, const struct cx_recipe *recipe,
               const char *registry, const struct cx_progress *progress,
               struct cx_draft *draft, struct cx_err *err);

#endif
