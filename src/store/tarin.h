/*
 * tarin.h - a tar file read into a workspace.
 *
 * Plain, POSIX pax and GNU's long names and sparse format 1.0. As careful as
 * its writer may have been careless: everything lands below one folder,
 * through no link, and nothing but folders, files and links is made.
 */
#ifndef CX_STORE_TARIN_H
#define CX_STORE_TARIN_H

#include <sys/types.h>

#include "base/err.h"
#include "data/json.h"
#include "store/extent.h"

enum { CX_TARIN_PATH_MAX = 65536 }; /* bytes of a path, and of a record */

struct cx_tarin_rule {
	struct cx_extent max; /* of what may be made; 0: no bound */
	bool chown;           /* give it to owner, or leave it the caller's */
	uid_t owner;          /* user and group */
};

/*
 * Reads a tar file from in_fd into top_fd; appends an entry as tarout.h says
 * for each to files, a list. A path that leaves the folder, or that leads over
 * a link, is CX_E_UNSAFE_PATH; what isn't tar, or more than the rule allows,
 * CX_E_INPUT_INVALID. What was made before a fault stays.
 */
int cx_tarin_read(int in_fd, int top_fd, const struct cx_tarin_rule *rule,
                  json_t *files, struct cx_err *err);

#endif
