/*
 * draft.h - a layer being made: a folder in roots/.tmp and the list of what
 * stands in it, leased like every draft.
 *
 * Whoever fills it may be hostile (an archive from anywhere), so every path is
 * checked and opened below the folder, never through a link, and nothing is
 * made twice. No device, pipe or socket is made. Owner and mode on disk are the
 * tame ones of store/owner.h; the true ones go into the list.
 */
#ifndef CX_STORE_DRAFT_H
#define CX_STORE_DRAFT_H

#include "store/cas.h"
#include "store/entry.h"

enum {
	CX_DRAFT_NAME = 32,
	CX_DRAFT_PATH_MAX = 4096,
};

struct cx_draft {
	int tmp_fd;                /* borrowed from the store */
	int root_fd;               /* the folder, and the lease */
	char name[CX_DRAFT_NAME];  /* in roots/.tmp */
	struct cx_entries list;
	int64_t latest;            /* no mtime is later than this */
	size_t entries_max;
	int parent_fd;             /* of the last path; -1 */
	char parent[CX_DRAFT_PATH_MAX];
};

#define CX_DRAFT_NONE \
	((struct cx_draft){ .tmp_fd = -1, .root_fd = -1, .parent_fd = -1 })

/* latest: mtimes beyond are set to it (INT64_MAX: none are). */
int cx_draft_start(const struct cx_cas *cas, int64_t latest,
                   struct cx_draft *ret, struct cx_err *err);

/*
 * Each makes one thing at entry->path, with the parents that are missing as
 * root's folders, and appends entry to the list. Refusals are layer_corrupt:
 * an unsafe path, one that leads through a link, or one that is taken. A
 * folder may be named again; the last facts stand.
 */
int cx_draft_folder(struct cx_draft *draft, const struct cx_entry *entry,
                    struct cx_err *err);
int cx_draft_symlink(struct cx_draft *draft, const struct cx_entry *entry,
                     struct cx_err *err);
int cx_draft_hardlink(struct cx_draft *draft, const struct cx_entry *entry,
                      struct cx_err *err);

/* An empty file to write to: *ret_fd is the caller's, to be given to
 * cx_draft_file_end when its bytes stand. entry->size is taken then. */
int cx_draft_file(struct cx_draft *draft, const struct cx_entry *entry,
                  int *ret_fd, struct cx_err *err);
int cx_draft_file_end(struct cx_draft *draft, int fd, struct cx_err *err);

/* A whole file from memory, owned by root. */
int cx_draft_bytes(struct cx_draft *draft, const char *path, mode_t mode,
                   const void *data, size_t size, struct cx_err *err);

/* What overlayfs reads as "not there": path removed, or a folder whose lower
 * content is hidden. Not in the list. */
int cx_draft_whiteout(struct cx_draft *draft, const char *path,
                      struct cx_err *err);
int cx_draft_opaque(struct cx_draft *draft, const char *path,
                    struct cx_err *err);

/* Removes what stands at path, with all below it. */
int cx_draft_remove(struct cx_draft *draft, const char *path,
                    struct cx_err *err);

/* Sorts the list, gives the folders their modes and times, syncs all. */
int cx_draft_settle(struct cx_draft *draft, struct cx_err *err);

/* Moves the settled folder to roots/<diff_id>; under the store's lock. What
 * stood there is replaced. */
int cx_draft_publish(struct cx_draft *draft, const struct cx_cas *cas,
                     const struct cx_digest *diff_id, struct cx_err *err);

/* Removes what wasn't published. */
void cx_draft_done(struct cx_draft *draft);
#define CX_AUTO_DRAFT __attribute__((cleanup(cx_draft_done)))

#endif
