/*
 * extent.h - how much a workspace takes, measured by our own walk.
 *
 * Blocks count, apparent sizes don't: a hole costs nothing. A file with
 * several names counts once, without a memory of its names: each name counts
 * for its share. The top folder itself doesn't count, so that an empty
 * workspace is 0.
 */
#ifndef CX_STORE_EXTENT_H
#define CX_STORE_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

struct cx_extent { uint64_t kib, inodes; };

/*
 * What stands below top_fd. Ends early, with what it has, once that is over
 * max (0: no bound). -1 and errno when the walk fails; *ret then holds what
 * was counted until then, which is less than there is.
 */
int cx_extent_measure(int top_fd, const struct cx_extent *max,
                      struct cx_extent *ret);

bool cx_extent_is_over(const struct cx_extent *extent,
                       const struct cx_extent *max);

#endif
