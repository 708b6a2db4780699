/* lock.c - see lock.h. */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/fd.h"

static int operation(enum cx_lock_mode mode)
{
	return mode == CX_LOCK_SHARED ? LOCK_SH : LOCK_EX;
}

/* 1 leased and still what the name means, 0 look again, -1 errno. */
static int lease(int dir_fd, const char *name, int fd, int how)
{
	struct stat held, named;

	while (flock(fd, how) < 0)
		if (errno != EINTR)
			return -1;
	if (fstat(fd, &held) < 0)
		return -1;
	if (fstatat(dir_fd, name, &named, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -1;
	return held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

static int take(int dir_fd, const char *name, int flags, int how, int *ret_fd,
                struct cx_err *err)
{
	for (;;) {
		CX_AUTO_FD int fd = openat(dir_fd, name, flags | O_CLOEXEC |
		                           O_NOFOLLOW | O_NOCTTY, 0600);
		int done = fd < 0 ? -1 : lease(dir_fd, name, fd, how);

		if (done > 0) {
			*ret_fd = cx_fd_take(&fd);
			return 0;
		}
		if (done == 0)
			continue;
		if (errno == EWOULDBLOCK)
			return cx_err_set(err, CX_E_STORE_BUSY,
			                  "%s is in use by another process; "
			                  "try again", name);
		return cx_err_sys(err, CX_E_IO_ERROR, "lease %s", name);
	}
}

int cx_lock_take(int dir_fd, const char *name, enum cx_lock_mode mode,
                 bool wait, int *ret_fd, struct cx_err *err)
{
	return take(dir_fd, name, O_RDWR | O_CREAT,
	            operation(mode) | (wait ? 0 : LOCK_NB), ret_fd, err);
}

int cx_lock_folder(int dir_fd, const char *name, enum cx_lock_mode mode,
                   bool wait, int *ret_fd, struct cx_err *err)
{
	return take(dir_fd, name, O_RDONLY | O_DIRECTORY,
	            operation(mode) | (wait ? 0 : LOCK_NB), ret_fd, err);
}

bool cx_lock_alone(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}
