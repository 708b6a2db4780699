/* skeleton.h - what every base of ours has beside its packages. */
#ifndef CX_BUILD_SKELETON_H
#define CX_BUILD_SKELETON_H

#include "store/draft.h"

#define CX_SKELETON_UID 10001
#define CX_SKELETON_GID 10001

/* The folders that a sandbox mounts on, where they aren't there yet. */
int cx_skeleton_folders(struct cx_draft *draft, struct cx_err *err);

/*
 * Puts the runtime user cx (10001:10001) into etc/passwd and etc/group: after
 * what stands in them already, at most 64 KiB each; made when absent.
 */
int cx_skeleton_user(struct cx_draft *draft, struct cx_err *err);

#endif
