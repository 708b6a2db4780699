/* fresh.c - see fresh.h. */
#include "store/fresh.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/hex.h"
#include "base/rand.h"

static int make_name(char ret_name[24])
{
	uint8_t random[8];
	struct cx_err err;

	memcpy(ret_name, ".cx-", 4);
	if (cx_rand_fill(random, sizeof random, &err) < 0) {
		errno = err.sys;
		return -1;
	}
	cx_hex_write(random, sizeof random, ret_name + 4);
	return 0;
}

int cx_fresh_make(int folder_fd, struct cx_fresh *ret)
{
	*ret = (struct cx_fresh)CX_FRESH_NONE;
	ret->folder_fd = folder_fd;
	ret->fd = openat(folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (ret->fd >= 0)
		return 0;
	if ((errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT) ||
	    make_name(ret->name) < 0)
		return -1;
	ret->fd = openat(folder_fd, ret->name, O_RDWR | O_CREAT | O_EXCL |
	                 O_NOFOLLOW | O_CLOEXEC, 0600);
	if (ret->fd < 0)
		ret->name[0] = '\0';
	return ret->fd < 0 ? -1 : 0;
}

/* Gives it a first name. */
static int name_it(const struct cx_fresh *fresh, const char *name)
{
	char link[32];

	snprintf(link, sizeof link, "/proc/self/fd/%d", fresh->fd);
	return linkat(AT_FDCWD, link, fresh->folder_fd, name,
	              AT_SYMLINK_FOLLOW);
}

int cx_fresh_place(struct cx_fresh *fresh, const char *name)
{
	if (!fresh->name[0]) {
		char own[24];

		if (name_it(fresh, name) == 0)
			return 0;
		if (errno != EEXIST || make_name(own) < 0 ||
		    name_it(fresh, own) < 0)
			return -1;
		memcpy(fresh->name, own, sizeof own);
	}
	if (renameat(fresh->folder_fd, fresh->name, fresh->folder_fd,
	             name) < 0)
		return -1;
	fresh->name[0] = '\0';
	return 0;
}

void cx_fresh_done(struct cx_fresh *fresh)
{
	int saved = errno;

	if (fresh->name[0])
		unlinkat(fresh->folder_fd, fresh->name, 0);
	cx_fd_close_at(&fresh->fd);
	errno = saved;
}
