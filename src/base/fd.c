/* fd.c - see fd.h. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

void cx_fd_close_at(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int cx_fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

int cx_fd_write(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size > 0) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

ssize_t cx_fd_read(int fd, void *data, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t n = read(fd, (char *)data + have, size - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

int cx_fd_slurp(int fd, size_t max, const char *what, struct cx_buf *ret,
                struct cx_err *err)
{
	for (;;) {
		size_t step = ret->size < 4096 ? 4096 : ret->size;
		ssize_t n;

		if (step > max + 1 - ret->size)
			step = max + 1 - ret->size;
		n = read(fd, cx_buf_room(ret, step), step);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cx_err_sys(err, CX_E_IO_ERROR, "read %s", what);
		ret->size += (size_t)n;
		ret->data[ret->size] = '\0';
		if (n == 0)
			return 0;
		if (ret->size > max)
			return cx_err_set(err, CX_E_INPUT_INVALID,
			                  "%s is over %zu bytes", what, max);
	}
}

int cx_fd_load(int dir_fd, const char *name, size_t max, struct cx_buf *ret,
               struct cx_err *err)
{
	CX_AUTO_FD int fd = openat(dir_fd, name,
	                           O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 && errno == ENOENT)
		return cx_err_missing(err, name);
	if (fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %s", name);
	return cx_fd_slurp(fd, max, name, ret, err);
}

bool cx_fd_unchanged(const struct stat *before, const struct stat *now)
{
	return before->st_dev == now->st_dev && before->st_ino == now->st_ino &&
	       before->st_size == now->st_size &&
	       before->st_mode == now->st_mode &&
	       before->st_uid == now->st_uid &&
	       before->st_ctim.tv_sec == now->st_ctim.tv_sec &&
	       before->st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

bool cx_fd_is_ours(const struct stat *found)
{
	return found->st_uid == geteuid() &&
	       !(found->st_mode & (S_IWGRP | S_IWOTH));
}

static int write_synced(int fd, const void *data, size_t size, mode_t mode)
{
	if (cx_fd_write(fd, data, size) < 0 || fchmod(fd, mode) < 0)
		return -1;
	return fsync(fd);
}

int cx_fd_replace(int dir_fd, const char *name, const void *data, size_t size,
                  mode_t mode, struct cx_err *err)
{
	char temporary[280];
	CX_AUTO_FD int fd = -1;
	CX_AUTO_FD int folder = -1;

	snprintf(temporary, sizeof temporary, ".%.200s.%d.tmp", name,
	         (int)getpid());
	fd = openat(dir_fd, temporary,
	            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
	            0600);
	if (fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "create %s", name);
	if (write_synced(fd, data, size, mode) < 0 ||
	    renameat(dir_fd, temporary, dir_fd, name) < 0) {
		cx_err_sys(err, CX_E_IO_ERROR, "write %s", name);
		unlinkat(dir_fd, temporary, 0);
		return -1;
	}
	folder = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0 || fsync(folder) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "sync folder of %s",
		                  name);
	return 0;
}
