/* twin.c - see twin.h. */
#include "store/twin.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/promise.h"
#include "store/walk.h"

struct cx_twin_level {
	dev_t device;
	ino_t inode;
	int fd;               /* -1: outside of the window */
	bool dressed;         /* gets times as well as mode */
	mode_t mode;          /* for when it is left; 0: none */
	struct timespec time[2];
};

static struct cx_twin_level *innermost(const struct cx_twin *twin)
{
	return &twin->level[twin->depth - 1];
}

static int push(struct cx_twin *twin, int fd, mode_t mode)
{
	struct cx_twin_level *level;
	struct stat stat;

	if (fstat(fd, &stat) < 0) {
		close(fd);
		return -1;
	}
	if (twin->depth == twin->capacity) {
		twin->capacity = twin->capacity ? twin->capacity * 2 : 16;
		twin->level = cx_mem_grow(twin->level, twin->capacity,
		                          sizeof *twin->level);
	}
	level = &twin->level[twin->depth++];
	*level = (struct cx_twin_level){
		.device = stat.st_dev, .inode = stat.st_ino,
		.fd = fd, .mode = mode,
	};
	if (twin->depth > CX_WALK_WINDOW)
		cx_fd_close_at(&twin->level[twin->depth - 1 -
		                            CX_WALK_WINDOW].fd);
	return 0;
}

int cx_twin_start(int top_fd, struct cx_twin *ret)
{
	int fd;

	*ret = (struct cx_twin){ .lost = top_fd < 0 };
	if (top_fd < 0)
		return 0;
	fd = openat(top_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -1 : push(ret, fd, 0);
}

/* The level above has a descriptor again. */
static int reopen(struct cx_twin_level *above, int below_fd)
{
	struct stat stat;

	above->fd = openat(below_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (above->fd < 0 || fstat(above->fd, &stat) < 0)
		return -1;
	if (stat.st_dev == above->device && stat.st_ino == above->inode)
		return 0;
	cx_fd_close_at(&above->fd);
	errno = EBUSY;
	return -1;
}

static int leave(struct cx_twin *twin)
{
	struct cx_twin_level *level = innermost(twin);
	bool is_top = twin->depth == 1;
	struct cx_twin_level *above = is_top ? level : level - 1;
	int result = 0;

	if (!is_top && above->fd < 0 && level->fd >= 0)
		result = reopen(above, level->fd);
	if (level->mode && level->fd >= 0 &&
	    fchmod(level->fd, level->mode & 07777) < 0)
		result = -1;
	if (level->dressed && level->fd >= 0 &&
	    futimens(level->fd, level->time) < 0)
		result = -1;
	cx_fd_close_at(&level->fd);
	twin->depth--;
	return result;
}

int cx_twin_to(struct cx_twin *twin, size_t depth)
{
	while (twin->lost > 0 && twin->depth + twin->lost > depth)
		twin->lost--;
	while (twin->depth > depth)
		if (leave(twin) < 0)
			return -1;
	return 0;
}

int cx_twin_enter(struct cx_twin *twin, const char *name)
{
	int from = cx_twin_fd(twin), fd;
	mode_t mode = 0;

	if (twin->lost > 0) {
		twin->lost++;
		return 0;
	}
	if (from < 0) {
		errno = EBUSY;
		return -1;
	}
	fd = CX_PROMISE(diff_links, false)
	     ? openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
	     : cx_walk_open(from, name, &mode);
	if (fd >= 0)
		return push(twin, fd, mode);
	twin->lost = 1;
	return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -1;
}

int cx_twin_fd(const struct cx_twin *twin)
{
	return twin->lost > 0 ? -1 : innermost(twin)->fd;
}

void cx_twin_dress(struct cx_twin *twin, const struct stat *like)
{
	struct cx_twin_level *level;

	if (twin->lost > 0)
		return;
	level = innermost(twin);
	level->dressed = true;
	level->mode = (like->st_mode & 07777) | S_IFDIR;
	level->time[0] = like->st_atim;
	level->time[1] = like->st_mtim;
}

int cx_twin_finish(struct cx_twin *twin)
{
	return cx_twin_to(twin, 0);
}

void cx_twin_done(struct cx_twin *twin)
{
	while (twin->depth > 0)
		leave(twin);
	free(twin->level);
	*twin = (struct cx_twin){ 0 };
}
