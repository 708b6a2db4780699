/* walk.c - see walk.h. */
#include "store/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

enum { BUFFER_BYTES = 16384 };

struct cx_walk_level {
	dev_t device;
	ino_t inode;
	off_t next;        /* the cookie behind the last entry given out */
	int fd;            /* -1 outside of the window */
	char *buffer;      /* entries read, NULL outside of the window */
	size_t have, at, last;
	size_t path_size;  /* of the path up to this folder */
	mode_t mode;       /* to restore when it is left; 0: nothing */
};

/* struct linux_dirent64, as getdents64(2) describes it. */
struct entry {
	uint64_t inode;
	int64_t next;
	unsigned short size;
	unsigned char type;
	char name[];
};

static struct cx_walk_level *push(struct cx_walk *walk, int fd,
                                  const struct stat *stat, mode_t mode)
{
	struct cx_walk_level *level;

	if (walk->depth == walk->capacity) {
		walk->capacity = walk->capacity ? walk->capacity * 2 : 16;
		walk->level = cx_mem_grow(walk->level, walk->capacity,
		                          sizeof *walk->level);
	}
	level = &walk->level[walk->depth++];
	*level = (struct cx_walk_level){
		.device = stat->st_dev,
		.inode = stat->st_ino,
		.fd = fd,
		.path_size = walk->path.size,
		.mode = mode,
	};
	if (walk->depth > CX_WALK_WINDOW) {
		struct cx_walk_level *old =
			&walk->level[walk->depth - 1 - CX_WALK_WINDOW];

		cx_fd_close_at(&old->fd);
		free(CX_TAKE(old->buffer));
		old->have = old->at = 0;
	}
	return level;
}

int cx_walk_start(int top_fd, bool keep_path, struct cx_walk *ret)
{
	CX_AUTO_FD int fd = openat(top_fd, ".", O_RDONLY | O_DIRECTORY |
	                           O_CLOEXEC);
	struct stat stat;

	*ret = (struct cx_walk){ .keep_path = keep_path };
	if (fd < 0 || fstat(fd, &stat) < 0)
		return -1;
	ret->device = stat.st_dev;
	cx_buf_text(&ret->path, "");
	push(ret, cx_fd_take(&fd), &stat, 0);
	return 0;
}

/* A folder that its owner closed to himself: opened up by its descriptor (a
 * name could mean another file by now); *ret_mode is what it had. */
static int open_closed(int folder_fd, const char *name, mode_t *ret_mode)
{
	CX_AUTO_FD int handle = openat(folder_fd, name, O_PATH | O_DIRECTORY |
	                               O_NOFOLLOW | O_CLOEXEC);
	char link[32];
	struct stat stat;
	mode_t mode;

	if (handle < 0 || fstat(handle, &stat) < 0)
		return -1;
	mode = stat.st_mode & 07777;
	snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
	if (chmod(link, mode | 0500) < 0)
		return -1;
	*ret_mode = mode | S_IFDIR;
	return openat(handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int cx_walk_open(int folder_fd, const char *name, mode_t *ret_mode)
{
	int fd = openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	                O_CLOEXEC);

	*ret_mode = 0;
	if (fd >= 0 && faccessat(fd, ".", X_OK, AT_EACCESS) == 0)
		return fd;
	if (fd < 0 && errno != EACCES)
		return -1;
	cx_fd_close_at(&fd);
	return open_closed(folder_fd, name, ret_mode);
}

/* Takes the innermost level away; the one above has a descriptor again. */
static int leave(struct cx_walk *walk)
{
	struct cx_walk_level *level = &walk->level[walk->depth - 1];
	bool is_top = walk->depth == 1;
	struct cx_walk_level *above = is_top ? level : level - 1;
	struct stat stat;
	int result = 0;

	if (!is_top && above->fd < 0 && level->fd >= 0) {
		above->fd = openat(level->fd, "..", O_RDONLY | O_DIRECTORY |
		                   O_CLOEXEC);
		if (above->fd < 0 || fstat(above->fd, &stat) < 0) {
			result = -1;
		} else if (stat.st_dev != above->device ||
		           stat.st_ino != above->inode) {
			cx_fd_close_at(&above->fd);
			errno = EBUSY;
			result = -1;
		} else if (lseek(above->fd, above->next, SEEK_SET) < 0) {
			result = -1;
		}
	}
	if (level->mode && level->fd >= 0)
		fchmod(level->fd, level->mode & 07777);
	cx_fd_close_at(&level->fd);
	free(CX_TAKE(level->buffer));
	walk->depth--;
	return result;
}

/* The next entry's bytes of the innermost folder: 1, 0 at its end, -1. */
static int next_name(struct cx_walk_level *level, const struct entry **ret)
{
	const struct entry *entry;

	if (level->fd < 0) {
		errno = EBUSY;
		return -1;
	}
	if (!level->buffer)
		level->buffer = cx_mem_grow(NULL, BUFFER_BYTES, 1);
	if (level->at == level->have) {
		long n = syscall(SYS_getdents64, level->fd, level->buffer,
		                 BUFFER_BYTES);

		if (n < 0 && errno != ENOENT)
			return -1;
		level->at = 0;
		level->have = n < 0 ? 0 : (size_t)n;
		if (level->have == 0)
			return 0;
	}
	entry = (const void *)(level->buffer + level->at);
	level->last = level->at;
	level->at += entry->size;
	level->next = entry->next;
	*ret = entry;
	return 1;
}

static bool is_dots(const char *name)
{
	return cx_str_same(name, ".") || cx_str_same(name, "..");
}

static void name_path(struct cx_walk *walk, const char *name)
{
	struct cx_walk_level *level = &walk->level[walk->depth - 1];

	if (!walk->keep_path)
		return;
	walk->path.size = level->path_size;
	if (walk->path.size)
		cx_buf_byte(&walk->path, '/');
	cx_buf_text(&walk->path, name);
}

/* Enters the folder that was given out last. One that vanished, or that
 * nobody may open, is passed over. */
static int enter(struct cx_walk *walk)
{
	struct cx_walk_level *level = &walk->level[walk->depth - 1];
	const struct entry *entry;
	struct stat stat;
	mode_t mode;
	int fd;

	walk->descend = false;
	entry = (const void *)(level->buffer + level->last);
	fd = cx_walk_open(level->fd, entry->name, &mode);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP
		       ? 0 : -1;
	if (fstat(fd, &stat) < 0 || stat.st_dev != walk->device) {
		close(fd);
		return 0;
	}
	push(walk, fd, &stat, mode);
	return 0;
}

static int give(struct cx_walk *walk, const struct entry *entry,
                struct cx_walk_entry *ret)
{
	struct cx_walk_level *level = &walk->level[walk->depth - 1];

	if (fstatat(level->fd, entry->name, &ret->stat,
	            AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -1;
	name_path(walk, entry->name);
	ret->folder_fd = level->fd;
	ret->name = entry->name;
	ret->path = walk->path.data;
	ret->depth = walk->depth;
	ret->step = S_ISDIR(ret->stat.st_mode) ? CX_WALK_FOLDER
	                                       : CX_WALK_OTHER;
	walk->descend = ret->step == CX_WALK_FOLDER &&
	                ret->stat.st_dev == walk->device;
	return 1;
}

int cx_walk_next(struct cx_walk *walk, struct cx_walk_entry *ret)
{
	if (walk->descend && enter(walk) < 0)
		return -1;
	while (walk->depth > 0) {
		const struct entry *entry;
		int got = next_name(&walk->level[walk->depth - 1], &entry);

		if (got < 0)
			return -1;
		if (got == 0) {
			if (leave(walk) < 0)
				return -1;
			if (walk->depth == 0)
				return 0;
			*ret = (struct cx_walk_entry){
				.step = CX_WALK_LEAVE,
				.folder_fd = -1,
				.name = "",
				.path = "",
				.depth = walk->depth,
			};
			return 1;
		}
		if (is_dots(entry->name))
			continue;
		got = give(walk, entry, ret);
		if (got != 0)
			return got;
	}
	return 0;
}

void cx_walk_skip(struct cx_walk *walk)
{
	walk->descend = false;
}

void cx_walk_done(struct cx_walk *walk)
{
	while (walk->depth > 0)
		leave(walk);
	free(walk->level);
	cx_buf_done(&walk->path);
	*walk = (struct cx_walk){ 0 };
}
