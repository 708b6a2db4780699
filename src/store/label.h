/*
 * label.h - whose a workspace is: <key>/label, one line of JSON.
 *
 *	{"orgId": ..., "userId": ..., "runId", "jobId" or "name": ...,
 *	 "made": seconds}
 *
 * The names of the folders are digests; listing and collection need the ids.
 * The label's time of change says when the workspace was used last.
 */
#ifndef CX_STORE_LABEL_H
#define CX_STORE_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct cx_volume_owner;

struct cx_label {
	char org_id[257], user_id[257];
	char run_id[257];  /* one of these three isn't "" */
	char job_id[67];
	char name[64];
	int64_t made;      /* seconds since 1970 */
	int64_t used;
};

int cx_label_write(int folder_fd, const struct cx_volume_owner *owner,
                   struct cx_err *err);

/* false: there is none, or none that can be read. */
bool cx_label_read(int folder_fd, struct cx_label *ret);

/* Used now. */
void cx_label_touch(int folder_fd);

#endif
