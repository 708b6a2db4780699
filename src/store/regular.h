/*
 * regular.h - regular files that somebody else made: opened for reading
 * without following a link or opening anything else, and copied with their
 * holes.
 */
#ifndef CX_STORE_REGULAR_H
#define CX_STORE_REGULAR_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "data/digest.h"

/*
 * Opens the regular file path below dir_fd for reading; nothing but a regular
 * file is ever opened. One whose owner took his own permission away is opened
 * all the same. -1 and errno: ELOOP or EXDEV for a link on the way, EMEDIUMTYPE
 * for a file of another kind.
 */
int cx_regular_open(int dir_fd, const char *path, struct stat *ret_stat);

/* Bytes from..to of a file that hold data; the next piece at or after at.
 * 1, or 0 when only a hole is left, or -1 and errno. */
struct cx_regular_piece { uint64_t from, to; };
int cx_regular_next(int fd, uint64_t at, uint64_t size,
                    struct cx_regular_piece *ret);

/* Copies size bytes of from_fd into the empty to_fd, holes as holes, and
 * digests them (holes as the zeros that they read as) unless ret_digest is
 * NULL. What the file lacks by now is zeros. 0 or -1, errno. */
int cx_regular_copy(int from_fd, uint64_t size, int to_fd,
                    struct cx_digest *ret_digest);

/* Digests size bytes of fd, holes as the zeros that they read as. 0 or -1,
 * errno. */
int cx_regular_digest(int fd, uint64_t size, struct cx_digest *ret);

/* The first size bytes of both are the same: 1 or 0, or -1, errno. Where both
 * have holes, nothing is read. */
int cx_regular_same(int one_fd, int other_fd, uint64_t size);

#endif
