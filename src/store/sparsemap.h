/* sparsemap.h - the map of GNU tar's sparse format 1.0. */
#ifndef CX_STORE_SPARSEMAP_H
#define CX_STORE_SPARSEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/regular.h"

enum { CX_SPARSEMAP_MAX = 1 << 20 };

struct cx_sparsemap {
	struct cx_regular_piece *piece; /* owned, in order, no two overlap */
	size_t count;
};

void cx_sparsemap_done(struct cx_sparsemap *map);
#define CX_AUTO_SPARSEMAP __attribute__((cleanup(cx_sparsemap_done)))

/* Reads the map in front of a member's data: size is the member's, real_size
 * the file's; exactly the pieces' bytes follow. CX_E_INPUT_INVALID. */
int cx_sparsemap_read(int fd, uint64_t size, uint64_t real_size,
                      struct cx_sparsemap *ret, struct cx_err *err);

#endif
