/*
 * changes.h - what a dry run would change, as JSON.
 *
 *	{added, modified, deleted, truncated, entries: [{path, pathBase64?,
 *	 change, type, size, mode, sha256, target, targetBase64?, attributes?,
 *	 was: {type, size, mode, sha256, target, targetBase64?}}]}
 *
 * The counts are exact; the list is bounded, in bytes and in what is digested
 * for it, since a command chose the names and the sizes.
 */
#ifndef CX_RUN_CHANGES_H
#define CX_RUN_CHANGES_H

#include "data/json.h"
#include "data/shape.h"
#include "store/volume.h"

enum {
	CX_CHANGES_MAX = 10000,                /* entries */
	CX_CHANGES_MAX_BYTES = 4 * 1024 * 1024, /* of their paths */
};

/* Bytes that are digested for one list, holes and all. */
#define CX_CHANGES_DIGEST_MAX_BYTES (8ULL << 30)

extern const struct cx_shape cx_changes_member[];

/* From the tree was_fd (-1: an empty one) to is_fd. *ret is owned, its entries
 * in the order of their paths' bytes. */
int cx_changes_list(int was_fd, int is_fd, json_t **ret, struct cx_err *err);

/* The workspace's name as the workspace verbs take it, in words for a shell. */
void cx_changes_where(const struct cx_volume_owner *owner, struct cx_buf *ret);

/* Such a document in a line for a person, owned; NULL: there is none. */
void cx_changes_tell(const json_t *changes, const char *where,
                     char **ret_text);

#endif
