/*
 * tar.h - unpacking an archive that anybody may have made.
 *
 * Refused whole, as layer_corrupt: absolute names and "..", names that lead
 * through a link, symbolic links that climb out, hard links to what isn't a
 * file of the same archive, one name twice, devices (but for the usual ones
 * in dev/, which are left out), pipes, extended attributes that overlayfs or
 * the store would believe, more than a million entries, more than 64 GiB, and
 * what swells a hundredfold. Other extended attributes (capabilities, access
 * lists, labels) aren't taken over.
 */
#ifndef CX_STORE_TAR_H
#define CX_STORE_TAR_H

#include "store/draft.h"
#include "store/inflate.h"
#include "store/tarname.h"

/* Where an entry goes: true and its path, or false to leave it out. */
typedef bool cx_tar_place(const char *path, mode_t mode, void *context,
                          char ret[CX_TARNAME_MAX]);

struct cx_tar_order {
	bool layer;            /* ".wh." names speak of lower layers; else they
	                          are refused */
	uint64_t bytes_max;    /* of all files together; 0: 64 GiB */
	cx_tar_place *place;   /* NULL: each where its name says */
	void *context;
};

/* Unpacks all of inflate (which is read to its end) into draft. */
int cx_tar_unpack(struct cx_inflate *inflate, const struct cx_tar_order *order,
                  struct cx_draft *draft, struct cx_err *err);

#endif
