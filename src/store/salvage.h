/*
 * salvage.h - finding the end of the log, after whatever happened to it.
 *
 * Within one boot a writer may have been killed: behind the cached end stands
 * what nobody acknowledged, and of it whole records that fit the shape are
 * adopted. After a start of the machine, or without the cache, the newest
 * segment is read whole: pairs of whole lines stay, also bad ones (those are
 * damage, which isn't made unseen). All else at the ends goes to quarantine/.
 */
#ifndef CX_STORE_SALVAGE_H
#define CX_STORE_SALVAGE_H

#include "base/err.h"
#include "store/tail.h"

/* The newest segment's two files, open for reading and appending. */
struct cx_salvage_files {
	int event_fd;
	int meta_fd;
};

void cx_salvage_close(struct cx_salvage_files *files);
#define CX_AUTO_SALVAGE_FILES __attribute__((cleanup(cx_salvage_close)))

/* Opens the segment's files below dir_fd, made when they aren't there. */
int cx_salvage_open(int dir_fd, uint64_t first,
                    struct cx_salvage_files *ret, struct cx_err *err);

/* "seg-0000000000000042.meta"; ret holds 32 bytes. */
void cx_salvage_name(uint64_t first, const char *suffix, char ret[32]);

/* The other way round; false: the name isn't one of such a file. */
bool cx_salvage_number(const char *name, const char *suffix,
                       uint64_t *ret_first);

/*
 * Under the lock: the end of the log, with both files ending there. Adds the
 * bytes that were set aside to *torn_bytes, and to the gap of *ret_tail how
 * many records less there are than the cache knew of.
 */
int cx_salvage_settle(int dir_fd, int lock_fd, const struct cx_tail_boot *boot,
                      struct cx_tail *ret_tail,
                      struct cx_salvage_files *ret_files,
                      uint64_t *torn_bytes, struct cx_err *err);

#endif
