/* busybox.h - a base of one static program. */
#ifndef CX_BUILD_BUSYBOX_H
#define CX_BUILD_BUSYBOX_H

#include "build/recipe.h"
#include "store/draft.h"

/*
 * Fills draft from this machine's busybox: the program, a link for each of its
 * applets, /bin/bash, and the files that programs look for. A busybox that is
 * missing or not static is exit 69.
 */
int cx_busybox_fill(struct cx_draft *draft, const struct cx_recipe *recipe,
                    struct cx_err *err);

#endif
