/*
 * flush.h - one flush of the disk for all writers that wait for it.
 *
 * The file "flush" is locked by the writer that flushes, and says up to which
 * index everything is on disk. Who waits looks there, so that the next leader
 * flushes for all that came meanwhile.
 */
#ifndef CX_STORE_FLUSH_H
#define CX_STORE_FLUSH_H

#include "base/err.h"
#include "store/salvage.h"

/* Both files' bytes are on disk. */
int cx_flush_files(const struct cx_salvage_files *files, struct cx_err *err);

/* Returns when the record of this index, which stands written in files, is
 * on disk. lock_fd is the log's, read for its cached end only. */
int cx_flush_wait(int dir_fd, int lock_fd, const struct cx_tail_boot *boot,
                  const struct cx_salvage_files *files, uint64_t index,
                  struct cx_err *err);

#endif
