/* find.h - the record of an idempotency key. */
#ifndef CX_STORE_FIND_H
#define CX_STORE_FIND_H

#include <stdbool.h>

#include "store/salvage.h"

enum { CX_FIND_WINDOW = 8192 }; /* bytes of .meta: some 80 records */

/*
 * Under the lock: looks among the last records (also of the segment before,
 * while the newest is short), or, with all, in every segment. What can't be
 * read holds no key.
 */
bool cx_find_key(int dir_fd, const struct cx_salvage_files *files,
                 const struct cx_tail *tail, const char *key, bool all,
                 uint64_t *ret_index);

#endif
