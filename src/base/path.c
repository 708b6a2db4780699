/* path.c - see path.h. */
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "base/mem.h"

bool cx_path_name(const char *name)
{
	size_t length = strlen(name);

	return length > 0 && length <= 255 && !strchr(name, '/') &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

bool cx_path_inside(const char *path)
{
	char part[256];

	for (const char *at = path;; at++) {
		size_t length = strcspn(at, "/");

		if (length >= sizeof part)
			return false;
		memcpy(part, at, length);
		part[length] = '\0';
		if (!cx_path_name(part))
			return false;
		at += length;
		if (*at == '\0')
			return true;
	}
}

bool cx_path_plain(const char *path)
{
	return strlen(path) <= 4095 && cx_path_inside(path);
}

DIR *cx_path_list(int dir_fd)
{
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = copy < 0 ? NULL : fdopendir(copy);

	if (!folder)
		cx_fd_close_at(&copy);
	return folder;
}

bool cx_path_is_empty(int dir_fd)
{
	CX_AUTO_FD int fd = openat(dir_fd, ".",
	                           O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char some[512] __attribute__((aligned(8)));
	ssize_t n = -1;

	while (fd >= 0 && (n = getdents64(fd, some, sizeof some)) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *entry = (void *)(some + at);

			if (strcmp(entry->d_name, ".") != 0 &&
			    strcmp(entry->d_name, "..") != 0)
				return false;
			at += entry->d_reclen;
		}
	return n == 0;
}

/* Without openat2: one component at a time, none of them a link. */
static int open_by_parts(int dir_fd, const char *path, int flags, mode_t mode)
{
	CX_AUTO_FD int folder = -1;
	CX_AUTO_FREE char *copy = cx_mem_text(path);
	char *part = copy;
	int at = dir_fd;

	if (!cx_path_plain(path)) {
		errno = EXDEV;
		return -1;
	}
	for (;;) {
		char *slash = strchr(part, '/');
		int next;

		if (!slash)
			return openat(at, part, flags | O_NOFOLLOW, mode);
		*slash = '\0';
		next = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW |
		              O_CLOEXEC);
		cx_fd_close_at(&folder);
		if (next < 0)
			return -1;
		folder = next;
		at = folder;
		part = slash + 1;
	}
}

int cx_path_open(int dir_fd, const char *path, int flags, mode_t mode)
{
	const struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.mode = flags & (O_CREAT | __O_TMPFILE) ? mode : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
		           RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	do
		fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
	while (fd < 0 && errno == EAGAIN);
	if (fd < 0 && errno == ENOSYS)
		return open_by_parts(dir_fd, path, flags | O_CLOEXEC, mode);
	return (int)fd;
}

int cx_path_make(int dir_fd, const char *path, mode_t mode)
{
	CX_AUTO_FREE char *copy = cx_mem_text(path);

	for (char *slash = strchr(copy, '/');; slash = strchr(slash + 1, '/')) {
		CX_AUTO_FD int fd = -1;

		if (slash)
			*slash = '\0';
		if (mkdirat(dir_fd, copy, mode) < 0 && errno != EEXIST)
			return -1;
		fd = cx_path_open(dir_fd, copy, O_PATH | O_DIRECTORY, 0);
		if (fd < 0)
			return -1;
		if (!slash)
			return 0;
		*slash = '/';
	}
}

/* Lets us into a folder; what isn't one is left alone. */
static void let_in(int dir_fd, const char *name)
{
	char link[64];
	CX_AUTO_FD int fd = openat(dir_fd, name, O_PATH | O_DIRECTORY |
	                           O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (chmod(link, 0700) < 0)
		errno = 0; /* the next open says what is wrong */
}

/* Under a name that is free: who made the tree may have taken ours. */
static int move_up(int fd, const char *from, int top, unsigned long *serial)
{
	char name[64];

	for (;;) {
		snprintf(name, sizeof name, ".cx-rm-%lu", (*serial)++);
		if (renameat(fd, from, top, name) == 0)
			return 0;
		if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
			return -1;
	}
}

/*
 * Empties the folder at fd of what can go at once. A folder that isn't empty
 * is moved up beside top (under a name of ours), so that depth never grows:
 * the work list is the top folder itself.
 */
static int empty_into(int fd, int top, unsigned long *serial)
{
	DIR *folder = cx_path_list(fd);
	struct dirent *entry;
	int failed = 0;

	if (!folder)
		return -1;
	while (!failed && (entry = readdir(folder))) {
		if (!cx_path_name(entry->d_name))
			continue;
		if (unlinkat(fd, entry->d_name, 0) == 0 || errno == ENOENT)
			continue;
		if (unlinkat(fd, entry->d_name, AT_REMOVEDIR) == 0)
			continue;
		let_in(fd, entry->d_name);
		failed = move_up(fd, entry->d_name, top, serial) < 0;
	}
	closedir(folder);
	return failed ? -1 : 0;
}

static int remove_children(int top, unsigned long *serial, bool *ret_more)
{
	DIR *folder = cx_path_list(top);
	struct dirent *entry;
	int failed = 0;

	if (!folder)
		return -1;
	*ret_more = false;
	while (!failed && (entry = readdir(folder))) {
		CX_AUTO_FD int child = -1;

		if (!cx_path_name(entry->d_name))
			continue;
		if (unlinkat(top, entry->d_name, 0) == 0)
			continue;
		if (unlinkat(top, entry->d_name, AT_REMOVEDIR) == 0)
			continue;
		*ret_more = true;
		let_in(top, entry->d_name);
		child = openat(top, entry->d_name,
		               O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		failed = child < 0 || empty_into(child, top, serial) < 0;
	}
	closedir(folder);
	return failed ? -1 : 0;
}

int cx_path_remove(int dir_fd, const char *name)
{
	CX_AUTO_FD int top = -1;
	unsigned long serial = 0;
	bool more = true;

	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0)
		return 0;
	let_in(dir_fd, name);
	top = openat(dir_fd, name,
	             O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top < 0)
		return -1;
	while (more)
		if (remove_children(top, &serial, &more) < 0)
			return -1;
	return unlinkat(dir_fd, name, AT_REMOVEDIR);
}
