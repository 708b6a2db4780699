/* draft.c - see draft.h. */
#include "store/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "base/fd.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/rand.h"
#include "store/owner.h"

enum { ENTRIES_MAX = 1000 * 1000 };

static int refuse(const char *path, const char *why, struct cx_err *err)
{
	return cx_err_set(err, CX_E_LAYER_CORRUPT, "%.300s: %s", path, why);
}

int cx_draft_start(const struct cx_cas *cas, int64_t latest,
                   struct cx_draft *ret, struct cx_err *err)
{
	CX_AUTO_DRAFT struct cx_draft draft = CX_DRAFT_NONE;
	CX_AUTO_FD int lock = -1;
	uint8_t random[12];

	if (cx_rand_fill(random, sizeof random, err) < 0 ||
	    cx_cas_lock(cas, &lock, err) < 0)
		return -1;
	cx_hex_write(random, sizeof random, draft.name);
	if (mkdirat(cas->tmp_fd, draft.name, 0700) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a draft");
	draft.tmp_fd = cas->tmp_fd;
	draft.latest = latest;
	draft.entries_max = ENTRIES_MAX;
	draft.root_fd = cx_path_open(cas->tmp_fd, draft.name,
	                             O_RDONLY | O_DIRECTORY, 0);
	if (draft.root_fd < 0 || flock(draft.root_fd, LOCK_EX) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open a draft");
	*ret = draft;
	draft = CX_DRAFT_NONE;
	return 0;
}

static struct cx_entry *note(struct cx_draft *draft,
                             const struct cx_entry *entry, struct cx_err *err)
{
	struct cx_entry *made;

	if (draft->list.count >= draft->entries_max) {
		cx_err_set(err, CX_E_LAYER_CORRUPT,
		           "more than %zu entries", draft->entries_max);
		return NULL;
	}
	made = cx_entry_add(&draft->list, entry);
	if (made->mtime > draft->latest)
		made->mtime = draft->latest;
	if (made->mtime < 0)
		made->mtime = 0;
	return made;
}

/* Of what no archive names. */
static int64_t unknown_time(const struct cx_draft *draft)
{
	return draft->latest == INT64_MAX ? 0 : draft->latest;
}

/* The folder that path stands in; parents that nobody named are root's. */
static int make_parents(struct cx_draft *draft, const char *parent,
                        struct cx_err *err)
{
	CX_AUTO_FREE char *copy = cx_mem_text(parent);
	char *slash = copy;

	while (slash) {
		struct cx_entry folder = {
			.path = copy, .mode = S_IFDIR | 0755,
			.mtime = unknown_time(draft),
		};
		CX_AUTO_FD int fd = -1;

		slash = strchr(slash, '/');
		if (slash)
			*slash = '\0';
		fd = cx_path_open(draft->root_fd, copy, O_PATH | O_DIRECTORY,
		                  0);
		if (fd < 0 && errno != ENOENT)
			return refuse(parent, "leads through what isn't a "
			              "folder of the archive", err);
		if (fd < 0 && cx_draft_folder(draft, &folder, err) < 0)
			return -1;
		if (slash)
			*slash++ = '/';
	}
	return 0;
}

/* Opens the folder of path into draft->parent_fd and returns the last name in
 * *ret_name, which points into path. */
static int open_parent(struct cx_draft *draft, const char *path,
                       const char **ret_name, struct cx_err *err)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;
	char parent[CX_DRAFT_PATH_MAX];

	if (!cx_path_plain(path))
		return refuse(path, "isn't a path inside the archive", err);
	*ret_name = slash ? slash + 1 : path;
	memcpy(parent, path, length);
	parent[length] = '\0';
	if (draft->parent_fd >= 0 && strcmp(parent, draft->parent) == 0)
		return 0;
	cx_fd_close_at(&draft->parent_fd);
	if (length == 0) {
		draft->parent_fd = openat(draft->root_fd, ".",
		                          O_PATH | O_DIRECTORY | O_CLOEXEC);
	} else {
		if (make_parents(draft, parent, err) < 0)
			return -1;
		cx_fd_close_at(&draft->parent_fd);
		draft->parent_fd = cx_path_open(draft->root_fd, parent,
		                                O_PATH | O_DIRECTORY, 0);
	}
	if (draft->parent_fd < 0)
		return refuse(path, "leads through a link or out of the "
		              "archive", err);
	memcpy(draft->parent, parent, length + 1);
	return 0;
}

static int taken(const char *path, struct cx_err *err)
{
	if (errno == EEXIST)
		return refuse(path, "stands in the archive twice", err);
	return cx_err_sys(err, CX_E_IO_ERROR, "make %.300s", path);
}

/* errno is EEXIST afterwards when it is something else. */
static bool is_folder(int parent_fd, const char *name)
{
	struct stat is;

	if (fstatat(parent_fd, name, &is, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(is.st_mode))
		return true;
	errno = EEXIST;
	return false;
}

int cx_draft_folder(struct cx_draft *draft, const struct cx_entry *entry,
                    struct cx_err *err)
{
	const char *name;

	if (entry->path[0] == '\0')
		return note(draft, entry, err) ? 0 : -1;
	if (open_parent(draft, entry->path, &name, err) < 0)
		return -1;
	/* 0700 until all stands; the true mode comes at the end */
	if (mkdirat(draft->parent_fd, name, 0700) < 0 &&
	    !(errno == EEXIST && is_folder(draft->parent_fd, name)))
		return taken(entry->path, err);
	return note(draft, entry, err) ? 0 : -1;
}

static int set_link_time(int parent_fd, const char *name, int64_t mtime)
{
	const struct timespec times[] = { { mtime, 0 }, { mtime, 0 } };

	return utimensat(parent_fd, name, times, AT_SYMLINK_NOFOLLOW);
}

int cx_draft_symlink(struct cx_draft *draft, const struct cx_entry *entry,
                     struct cx_err *err)
{
	const struct cx_entry *made;
	const char *name;

	if (open_parent(draft, entry->path, &name, err) < 0)
		return -1;
	if (symlinkat(entry->link, draft->parent_fd, name) < 0)
		return taken(entry->path, err);
	made = note(draft, entry, err);
	if (!made)
		return -1;
	if (set_link_time(draft->parent_fd, name, made->mtime) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "time of %.300s",
		                  entry->path);
	return 0;
}

int cx_draft_hardlink(struct cx_draft *draft, const struct cx_entry *entry,
                      struct cx_err *err)
{
	CX_AUTO_FD int file = -1;
	const char *name;
	struct stat is;
	char path[64];

	if (!cx_path_plain(entry->link))
		return refuse(entry->path, "is a link out of the archive", err);
	file = cx_path_open(draft->root_fd, entry->link, O_PATH | O_NOFOLLOW,
	                    0);
	if (file < 0 || fstat(file, &is) < 0 || !S_ISREG(is.st_mode))
		return refuse(entry->path, "is a second name of what is no "
		              "file of this archive", err);
	if (open_parent(draft, entry->path, &name, err) < 0)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (linkat(AT_FDCWD, path, draft->parent_fd, name,
	           AT_SYMLINK_FOLLOW) < 0)
		return taken(entry->path, err);
	return note(draft, entry, err) ? 0 : -1;
}

int cx_draft_file(struct cx_draft *draft, const struct cx_entry *entry,
                  int *ret_fd, struct cx_err *err)
{
	CX_AUTO_FD int fd = -1;
	const char *name;

	if (open_parent(draft, entry->path, &name, err) < 0)
		return -1;
	fd = openat(draft->parent_fd, name,
	            O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return taken(entry->path, err);
	if (!note(draft, entry, err))
		return -1;
	*ret_fd = cx_fd_take(&fd);
	return 0;
}

int cx_draft_file_end(struct cx_draft *draft, int fd, struct cx_err *err)
{
	struct cx_entry *entry = &draft->list.entry[draft->list.count - 1];
	const struct timespec times[] = { { entry->mtime, 0 },
	                                  { entry->mtime, 0 } };
	CX_AUTO_FD int file = fd;
	struct stat is;

	if (fstat(file, &is) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "look at %.300s",
		                  entry->path);
	entry->size = (uint64_t)is.st_size;
	cx_owner_keep(file, entry);
	if (fchmod(file, cx_owner_mode(entry)) < 0 || futimens(file, times) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "finish %.300s",
		                  entry->path);
	return 0;
}

int cx_draft_bytes(struct cx_draft *draft, const char *path, mode_t mode,
                   const void *data, size_t size, struct cx_err *err)
{
	CX_AUTO_FREE char *copy = cx_mem_text(path);
	struct cx_entry entry = { .path = copy, .mode = S_IFREG | mode,
	                          .mtime = draft->latest };
	CX_AUTO_FD int fd = -1;

	if (cx_draft_file(draft, &entry, &fd, err) < 0)
		return -1;
	if (cx_fd_write(fd, data, size) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "write %.300s", path);
	return cx_draft_file_end(draft, cx_fd_take(&fd), err);
}

int cx_draft_whiteout(struct cx_draft *draft, const char *path,
                      struct cx_err *err)
{
	const char *name;

	if (open_parent(draft, path, &name, err) < 0)
		return -1;
	/* a device 0:0 may be made without privilege since Linux 5.8 */
	if (mknodat(draft->parent_fd, name, S_IFCHR | 0600, makedev(0, 0)) < 0)
		return taken(path, err);
	return 0;
}

int cx_draft_opaque(struct cx_draft *draft, const char *path,
                    struct cx_err *err)
{
	CX_AUTO_FD int fd = -1;
	const char *name;

	if (path[0] == '\0')
		fd = openat(draft->root_fd, ".", O_RDONLY | O_CLOEXEC);
	else if (open_parent(draft, path, &name, err) < 0)
		return -1;
	else
		fd = openat(draft->parent_fd, name, O_RDONLY | O_DIRECTORY |
		            O_NOFOLLOW | O_CLOEXEC);
	/* root's overlays read the trusted one, a user's the other */
	if (fd < 0 || fsetxattr(fd, "user.overlay.opaque", "y", 1, 0) < 0 ||
	    (fsetxattr(fd, "trusted.overlay.opaque", "y", 1, 0) < 0 &&
	     errno != EPERM))
		return cx_err_sys(err, CX_E_IO_ERROR, "make %.300s opaque",
		                  path);
	return 0;
}

int cx_draft_remove(struct cx_draft *draft, const char *path,
                    struct cx_err *err)
{
	const char *name;

	if (open_parent(draft, path, &name, err) < 0)
		return -1;
	if (cx_path_remove(draft->parent_fd, name) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "remove %.300s", path);
	cx_entry_drop(&draft->list, path);
	cx_fd_close_at(&draft->parent_fd);
	return 0;
}

/* A folder's mode and times; its children stand already. */
static int finish_folder(const struct cx_draft *draft,
                         const struct cx_entry *entry, struct cx_err *err)
{
	const struct timespec times[] = { { entry->mtime, 0 },
	                                  { entry->mtime, 0 } };
	const char *path = entry->path[0] ? entry->path : ".";
	mode_t mode = cx_owner_mode(entry);
	CX_AUTO_FD int fd = cx_path_open(draft->root_fd, path,
	                                 O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %.300s", path);
	cx_owner_keep(fd, entry);
	/* a root that only its owner enters (mktemp -d makes such) would shut
	 * out the sandbox, which isn't the owner */
	if (!entry->path[0])
		mode |= 0555;
	if (fchmod(fd, mode) < 0 || futimens(fd, times) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "finish %.300s", path);
	return 0;
}

int cx_draft_settle(struct cx_draft *draft, struct cx_err *err)
{
	struct cx_entry root = { .path = (char[]){ "" },
	                         .mode = S_IFDIR | 0755,
	                         .mtime = unknown_time(draft) };

	cx_entry_sort(&draft->list);
	if (!cx_entry_find(&draft->list, "") && !note(draft, &root, err))
		return -1;
	cx_entry_sort(&draft->list);
	cx_entry_relink(&draft->list);
	for (size_t i = draft->list.count; i-- > 0;)
		if (S_ISDIR(draft->list.entry[i].mode) &&
		    finish_folder(draft, &draft->list.entry[i], err) < 0)
			return -1;
	if (syncfs(draft->root_fd) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "sync a draft");
	return 0;
}

/* The new folder takes the name's place in one step; an old one comes back as
 * the draft and is removed. */
int cx_draft_publish(struct cx_draft *draft, const struct cx_cas *cas,
                     const struct cx_digest *diff_id, struct cx_err *err)
{
	char hex[65];

	cx_hex_write(diff_id->byte, sizeof diff_id->byte, hex);
	if (renameat2(cas->tmp_fd, draft->name, cas->roots_fd, hex,
	              RENAME_NOREPLACE) == 0) {
		cx_fd_close_at(&draft->root_fd);
		return 0;
	}
	if (errno != EEXIST ||
	    renameat2(cas->tmp_fd, draft->name, cas->roots_fd, hex,
	              RENAME_EXCHANGE) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "publish a layer");
	return 0;
}

void cx_draft_done(struct cx_draft *draft)
{
	if (draft->root_fd >= 0)
		cx_path_remove(draft->tmp_fd, draft->name);
	cx_fd_close_at(&draft->root_fd);
	cx_fd_close_at(&draft->parent_fd);
	cx_entry_done(&draft->list);
}
