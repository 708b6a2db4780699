/*
 * attribute.h - the extended attributes of what a sandbox left: user's own
 * ones and access lists.
 *
 * Both functions take a name below a folder; what stands there isn't a link.
 */
#ifndef CX_STORE_ATTRIBUTE_H
#define CX_STORE_ATTRIBUTE_H

#include <stdbool.h>

/* to gets exactly the attributes of from. 0 or -1, errno. */
int cx_attribute_copy(int from_fd, const char *from, int to_fd,
                      const char *to);

/* Both have the same: 1 or 0, or -1, errno. */
int cx_attribute_same(int one_fd, const char *one, int other_fd,
                      const char *other);

#endif
