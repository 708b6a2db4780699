/*
 * confine.h - our own tools narrowed to what they still need.
 *
 * A tool reads hostile documents; what it can't reach it can't be talked into
 * touching.
 */
#ifndef CX_SYS_CONFINE_H
#define CX_SYS_CONFINE_H

#include <stddef.h>

#include "sys/landlock.h"

/* Sanitizers and coverage counters write files and make calls of their own at
 * a tool's end. In a build with them (-DCX_INSTRUMENTED: make asan, make cov)
 * our own tools are kept from neither; all else of their confinement holds. */
#ifdef CX_INSTRUMENTED
enum { CX_CONFINE_WHOLE = 0 };
#else
enum { CX_CONFINE_WHOLE = 1 };
#endif

/* Not dumpable (no core, no ptrace by the same user), no_new_privs, and no
 * files but the grants (all as landlock.h says). Where the kernel has no
 * Landlock the rest still holds. 0 or -1, errno. */
int cx_confine_self(const struct cx_landlock_grant *grant, size_t count);

/* Only the first part of it: not dumpable, and no core file. */
int cx_confine_memory(void);

#endif
