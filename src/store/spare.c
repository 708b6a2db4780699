/* spare.c - see spare.h. */
#include "store/spare.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/promise.h"

enum { SPARES = 8 };

static const char place[] = "volumes/spare";

int cx_spare_open(const struct cx_state *state)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	                         O_CLOEXEC;
	int fd = openat(state->fd, place, flags);

	if (fd < 0 && errno == ENOENT &&
	    (mkdirat(state->fd, place, 0700) == 0 || errno == EEXIST))
		fd = openat(state->fd, place, flags);
	return fd;
}

static void name_spare(unsigned number, char ret_name[2])
{
	ret_name[0] = (char)('0' + number);
	ret_name[1] = '\0';
}

bool cx_spare_take(int spare_fd, int org_fd, const char *name)
{
	char spare[2];

	for (unsigned i = 0; i < SPARES; i++) {
		name_spare(i, spare);
		if (renameat2(spare_fd, spare, org_fd, name,
		              RENAME_NOREPLACE) == 0)
			return true;
		if (errno != ENOENT)
			return false;
	}
	return false;
}

/* Where a filesystem doesn't know them, they can't have been changed. */
void cx_spare_look(int data_fd, struct cx_spare_form *ret)
{
	*ret = (struct cx_spare_form){ 0 };
	if (fstat(data_fd, &ret->stat) < 0)
		ret->stat.st_nlink = 0;
	if (ioctl(data_fd, FS_IOC_GETFLAGS, &ret->flags) < 0)
		ret->flags = 0;
	if (ioctl(data_fd, FS_IOC_GETVERSION, &ret->generation) < 0)
		ret->generation = 0;
}

static bool is_untouched(int data_fd, const struct cx_spare_form *form)
{
	struct cx_spare_form now;
	const struct stat *a = &now.stat, *b = &form->stat;

	cx_spare_look(data_fd, &now);
	if (b->st_nlink == 0 || a->st_nlink != b->st_nlink ||
	    a->st_mode != b->st_mode || a->st_uid != b->st_uid ||
	    a->st_gid != b->st_gid || a->st_size != b->st_size ||
	    a->st_blocks != b->st_blocks || now.flags != form->flags ||
	    now.generation != form->generation)
		return false;
	if (flistxattr(data_fd, NULL, 0) > 0)
		return false;
	return cx_path_is_empty(data_fd);
}

bool cx_spare_put(int spare_fd, int org_fd, const char *name, int data_fd,
                  const struct cx_spare_form *form)
{
	char spare[2];

	if (!CX_PROMISE(spare_untouched, is_untouched(data_fd, form)) ||
	    futimens(data_fd, NULL) < 0)
		return false;
	for (unsigned i = 0; i < SPARES; i++) {
		name_spare(i, spare);
		if (renameat2(org_fd, name, spare_fd, spare,
		              RENAME_NOREPLACE) == 0)
			return true;
		if (errno != EEXIST)
			return false;
	}
	return false;
}
