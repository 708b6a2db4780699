/* carry.c - see carry.h. */
#include "run/carry.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/promise.h"
#include "base/str.h"
#include "model/profile.h"
#include "store/descent.h"
#include "store/fresh.h"
#include "store/regular.h"
#include "store/walk.h"

struct carry {
	struct cx_descent to;
	bool own;
};

static int unsafe(struct cx_err *err, const char *path, const char *why)
{
	return cx_err_set(err, CX_E_UNSAFE_PATH, "%.400s: %s", path, why);
}

int cx_carry_name(const char *path, const char **ret_name, size_t *ret_length,
                  struct cx_err *err)
{
	size_t end = strlen(path), start;
	char name[256];

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/'; start--)
		continue;
	snprintf(name, sizeof name, "%.*s", (int)(end - start), path + start);
	if (end - start > 255 || !cx_path_name(name))
		return cx_err_set(err, CX_E_USAGE, "%.400s has no last name to "
		                  "call it by; give a path that ends in one, "
		                  "as \"$PWD\" does for .", path);
	*ret_name = path + start;
	*ret_length = end - start;
	return 0;
}

static int own(const struct carry *carry, int folder, const char *name,
               const char *path, struct cx_err *err)
{
	if (carry->own && fchownat(folder, name, CX_PROFILE_ID, CX_PROFILE_ID,
	                           AT_SYMLINK_NOFOLLOW) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "%.400s", path);
	return 0;
}

/* A new file, filled and then put in name's place. */
static int place(int from, const struct stat *stat, int folder,
                 const char *name, bool give, const char *path,
                 struct cx_digest *ret_digest, struct cx_err *err)
{
	CX_AUTO_FRESH struct cx_fresh fresh = CX_FRESH_NONE;

	if (cx_fresh_make(folder, &fresh) < 0) {
		cx_err_sys(err, CX_E_IO_ERROR, "make %.400s", path);
		if (err->code == CX_E_IO_ERROR)
			err->status = 73;
		return -1;
	}
	if (cx_regular_copy(from, (uint64_t)stat->st_size, fresh.fd,
	                    ret_digest) < 0 ||
	    fchmod(fresh.fd, stat->st_mode & 0111 ? 0755 : 0644) < 0 ||
	    (give && fchown(fresh.fd, CX_PROFILE_ID, CX_PROFILE_ID) < 0) ||
	    cx_fresh_place(&fresh, name) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "%.400s", path);
	return 0;
}

/* What stands at the place may be replaced: nothing, or a regular file. */
static int check_place(int folder, const char *name, const char *path,
                       struct cx_err *err)
{
	struct stat stat;

	if (fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0
		       : cx_err_sys(err, CX_E_IO_ERROR, "%.400s", path);
	if (!CX_PROMISE(carry_in_links, S_ISREG(stat.st_mode)))
		return unsafe(err, path, "something that is no regular file "
		              "stands there in the workspace");
	return 0;
}

static int put_file(struct carry *carry, int from, const struct stat *stat,
                    const char *to, const char *path, struct cx_err *err)
{
	struct cx_digest digest;
	const char *name;
	int folder;

	if (cx_descent_go(&carry->to, to, true, &folder, &name, err) < 0 ||
	    check_place(folder, name, path, err) < 0)
		return -1;
	return place(from, stat, folder, name, carry->own, path, &digest, err);
}

static int put_folder(struct carry *carry, const char *to, const char *path,
                      struct cx_err *err)
{
	const char *name;
	struct stat stat;
	int folder;

	if (cx_descent_go(&carry->to, to, true, &folder, &name, err) < 0)
		return -1;
	if (mkdirat(folder, name, 0755) == 0)
		return own(carry, folder, name, path, err);
	if (errno != EEXIST ||
	    fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "%.400s", path);
	if (!S_ISDIR(stat.st_mode))
		return unsafe(err, path, "something that is no folder stands "
		              "there in the workspace");
	return 0;
}

static int put_link(struct carry *carry, const struct cx_walk_entry *entry,
                    const char *to, struct cx_err *err)
{
	char target[4097];
	ssize_t n = readlinkat(entry->folder_fd, entry->name, target,
	                       sizeof target - 1);
	const char *name;
	int folder;

	if (n < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "%.400s", entry->path);
	target[n] = '\0';
	if (cx_descent_go(&carry->to, to, true, &folder, &name, err) < 0 ||
	    check_place(folder, name, entry->path, err) < 0)
		return -1;
	if (unlinkat(folder, name, 0) < 0 && errno != ENOENT)
		return cx_err_sys(err, CX_E_IO_ERROR, "%.400s", entry->path);
	if (symlinkat(target, folder, name) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "%.400s", entry->path);
	return own(carry, folder, name, entry->path, err);
}

static int put_entry(struct carry *carry, const struct cx_walk_entry *entry,
                     const char *top, struct cx_err *err)
{
	CX_AUTO_FREE char *to = cx_mem_print("%s/%s", top, entry->path);
	CX_AUTO_FD int fd = -1;
	struct stat stat;

	if (S_ISDIR(entry->stat.st_mode))
		return put_folder(carry, to, entry->path, err);
	if (S_ISLNK(entry->stat.st_mode))
		return put_link(carry, entry, to, err);
	if (!S_ISREG(entry->stat.st_mode))
		return unsafe(err, entry->path, "is no regular file, folder "
		              "or link");
	fd = cx_regular_open(entry->folder_fd, entry->name, &stat);
	if (fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "%.400s", entry->path);
	return put_file(carry, fd, &stat, to, entry->path, err);
}

static int put_tree(struct carry *carry, int from, const char *top,
                    const char *path, struct cx_err *err)
{
	CX_AUTO_WALK struct cx_walk walk = { 0 };
	struct cx_walk_entry entry;
	int got;

	if (put_folder(carry, top, path, err) < 0)
		return -1;
	if (cx_walk_start(from, true, &walk) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "%.400s", path);
	while ((got = cx_walk_next(&walk, &entry)) > 0)
		if (entry.step != CX_WALK_LEAVE &&
		    put_entry(carry, &entry, top, err) < 0)
			return -1;
	return got < 0 ? cx_err_sys(err, CX_E_IO_ERROR, "%.400s", path) : 0;
}

int cx_carry_in(const char *path, int data_fd, bool give, struct cx_err *err)
{
	struct carry carry = {
		.to = { .top_fd = data_fd, .fd = -1, .chown = give,
		        .owner = CX_PROFILE_ID },
		.own = give,
	};
	CX_AUTO_FD int from = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY |
	                           O_CLOEXEC);
	CX_AUTO_FREE char *to = NULL;
	const char *name;
	size_t length;
	struct stat stat;
	int done;

	if (cx_carry_name(path, &name, &length, err) < 0)
		return -1;
	if (from < 0 && errno == ENOENT)
		return cx_err_missing(err, path);
	if (from < 0 || fstat(from, &stat) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %.400s", path);
	to = cx_mem_copy(name, length);
	if (S_ISDIR(stat.st_mode))
		done = put_tree(&carry, from, to, path, err);
	else if (S_ISREG(stat.st_mode))
		done = put_file(&carry, from, &stat, to, path, err);
	else
		done = unsafe(err, path, "is no regular file or folder");
	cx_descent_done(&carry.to);
	return done;
}

const char *cx_carry_below(const char *path)
{
	static const char top[] = "/workspace/";

	return cx_str_starts(path, top) ? path + strlen(top) : path;
}

static int open_out(const char *path, int data_fd, struct stat *ret_stat,
                    int *ret_fd, struct cx_err *err)
{
	const char *below = cx_carry_below(path);

	if (!cx_path_plain(below))
		return unsafe(err, path, "isn't a plain path below the "
		              "workspace");
	*ret_fd = cx_regular_open(data_fd, below, ret_stat);
	if (*ret_fd >= 0)
		return 0;
	if (errno == ELOOP || errno == EXDEV)
		return unsafe(err, path, "leads over a link in the workspace");
	if (errno == EMEDIUMTYPE)
		return unsafe(err, path, "is no regular file");
	if (errno == ENOENT || errno == ENOTDIR) {
		cx_err_set(err, CX_E_IO_ERROR, "%.400s: the command left no "
		           "such file in the workspace", path);
		err->status = 66;
		return -1;
	}
	return cx_err_sys(err, CX_E_IO_ERROR, "open %.400s", path);
}

static int fetch(const char *path, int data_fd, json_t *file,
                 struct cx_err *err)
{
	CX_AUTO_FD int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CX_AUTO_FD int fd = -1;
	CX_AUTO_FREE char *to = NULL;
	char text[CX_DIGEST_TEXT];
	struct cx_digest digest;
	struct stat stat;
	const char *name;
	size_t length;

	if (cx_carry_name(path, &name, &length, err) < 0 ||
	    open_out(path, data_fd, &stat, &fd, err) < 0)
		return -1;
	if ((uint64_t)stat.st_size > CX_CARRY_MAX_BYTES)
		return unsafe(err, path, "is over 4 GiB long");
	to = cx_mem_copy(name, length);
	if (here < 0 || place(fd, &stat, here, to, false, path, &digest,
	                      err) < 0)
		return here < 0 ? cx_err_sys(err, CX_E_IO_ERROR,
		                             "open the current folder") : -1;
	cx_digest_text(&digest, text);
	json_object_set_new(file, "size", json_integer(stat.st_size));
	json_object_set_new(file, "sha256", json_string(text));
	return 0;
}

int cx_carry_out(const char *path, int data_fd, json_t **ret_file,
                 struct cx_err *err)
{
	json_t *file = json_object();
	int done;

	json_object_set_new(file, "path",
	                    cx_json_repaired(path, strlen(path)));
	done = fetch(path, data_fd, file, err);
	if (done < 0)
		json_object_set_new(file, "error",
		                    json_string(cx_err_name(err->code)));
	*ret_file = file;
	return done;
}
