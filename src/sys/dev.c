/* dev.c - see dev.h. */
#include "sys/dev.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/count.h"
#include "sys/mount.h"

static const struct {
	const char *name;
	unsigned major, minor;
} device[] = {
	{ "null", 1, 3 },
	{ "zero", 1, 5 },
	{ "full", 1, 7 },
	{ "random", 1, 8 },
	{ "urandom", 1, 9 },
	{ "tty", 5, 0 },
};

const char *const cx_dev_name[] = {
	"null", "zero", "full", "random", "urandom", "tty", NULL
};
_Static_assert(CX_COUNT(device) + 1 == CX_COUNT(cx_dev_name), "one list");

static const struct {
	const char *to;
	const char *name;
} link_of[] = {
	{ "/proc/self/fd", "dev/fd" },
	{ "/proc/self/fd/0", "dev/stdin" },
	{ "/proc/self/fd/1", "dev/stdout" },
	{ "/proc/self/fd/2", "dev/stderr" },
};

bool cx_dev_number(const char *name, unsigned *ret_major, unsigned *ret_minor)
{
	for (size_t i = 0; i < CX_COUNT(device); i++)
		if (strcmp(device[i].name, name) == 0) {
			*ret_major = device[i].major;
			*ret_minor = device[i].minor;
			return true;
		}
	return false;
}

int cx_dev_mount(void)
{
	static const struct cx_mount_option option[] = {
		{ "source", "dev" },
		{ "mode", "0755" },
		{ "size", "64k" },
		{ "nr_inodes", "64" },
		{ NULL, NULL },
	};

	if (cx_mount_new("tmpfs", option, CX_MOUNT_NOSUID | CX_MOUNT_NOEXEC,
	                 "dev") < 0)
		return -1;
	for (size_t i = 0; i < CX_COUNT(link_of); i++)
		if (symlink(link_of[i].to, link_of[i].name) < 0)
			return -1;
	return mkdir("dev/shm", 0755);
}

static int make_node(const char *target, size_t which)
{
	mode_t old = umask(0);
	int failed = mknod(target, S_IFCHR | 0666,
	                   makedev(device[which].major, device[which].minor));

	umask(old);
	return failed;
}

static int bind_node(const char *target, const char *name)
{
	char source[32];

	if (mknod(target, S_IFREG | 0444, 0) < 0) /* a file to cover */
		return -1;
	snprintf(source, sizeof source, "/dev/%s", name);
	return cx_mount_bind(source, target,
	                     CX_MOUNT_READ_ONLY | CX_MOUNT_NOSUID |
	                     CX_MOUNT_NOEXEC);
}

int cx_dev_add(const char *name, bool own_node)
{
	char target[32];

	snprintf(target, sizeof target, "dev/%s", name);
	for (size_t i = 0; i < CX_COUNT(device); i++)
		if (strcmp(device[i].name, name) == 0)
			return own_node ? make_node(target, i)
			                : bind_node(target, name);
	errno = ENODEV;
	return -1;
}
