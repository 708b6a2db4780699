/* mount.c - see mount.h. */
#include "sys/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "base/fd.h"

_Static_assert(CX_MOUNT_READ_ONLY == MOUNT_ATTR_RDONLY &&
               CX_MOUNT_NOSUID == MOUNT_ATTR_NOSUID &&
               CX_MOUNT_NODEV == MOUNT_ATTR_NODEV &&
               CX_MOUNT_NOEXEC == MOUNT_ATTR_NOEXEC, "for the new calls");
_Static_assert((int)CX_MOUNT_READ_ONLY == (int)MS_RDONLY &&
               (int)CX_MOUNT_NOSUID == (int)MS_NOSUID &&
               (int)CX_MOUNT_NODEV == (int)MS_NODEV &&
               (int)CX_MOUNT_NOEXEC == (int)MS_NOEXEC, "for mount(2)");

static int configure(int fs_fd, const struct cx_mount_option *option)
{
	for (; option->name; option++) {
		unsigned command = option->value ? FSCONFIG_SET_STRING
		                                 : FSCONFIG_SET_FLAG;

		if (syscall(SYS_fsconfig, fs_fd, command, option->name,
		            option->value, 0) < 0)
			return -1;
	}
	return (int)syscall(SYS_fsconfig, fs_fd, FSCONFIG_CMD_CREATE, NULL,
	                    NULL, 0);
}

int cx_mount_detached(const char *type, const struct cx_mount_option *option,
                      unsigned attributes)
{
	CX_AUTO_FD int fs_fd = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);

	if (fs_fd < 0 || configure(fs_fd, option) < 0)
		return -1;
	return (int)syscall(SYS_fsmount, fs_fd, FSMOUNT_CLOEXEC, attributes);
}

int cx_mount_attach(int tree_fd, const char *target)
{
	return (int)syscall(SYS_move_mount, tree_fd, "", AT_FDCWD, target,
	                    MOVE_MOUNT_F_EMPTY_PATH);
}

static bool is_source(const struct cx_mount_option *option)
{
	return strcmp(option->name, "source") == 0;
}

/* Options as mount(2) takes them: "name=value,flag", and the source apart. */
static int join(const struct cx_mount_option *option, char *ret, size_t size)
{
	size_t used = 0;

	ret[0] = '\0';
	for (; option->name; option++) {
		int n;

		if (is_source(option))
			continue;
		n = snprintf(ret + used, size - used, "%s%s%s%s",
		             used ? "," : "", option->name,
		             option->value ? "=" : "",
		             option->value ? option->value : "");
		if (n < 0 || (size_t)n >= size - used) {
			errno = E2BIG;
			return -1;
		}
		used += (size_t)n;
	}
	return 0;
}

/* In one call, where the new ones take ten. */
int cx_mount_new(const char *type, const struct cx_mount_option *option,
                 unsigned attributes, const char *target)
{
	const char *source = type;
	char data[1024];

	if (join(option, data, sizeof data) < 0)
		return -1;
	for (const struct cx_mount_option *at = option; at->name; at++)
		if (is_source(at))
			source = at->value;
	return mount(source, target, type, attributes, data);
}

static int set_attributes(int dir_fd, const char *path, unsigned attributes)
{
	struct mount_attr attr = { .attr_set = attributes };

	return (int)syscall(SYS_mount_setattr, dir_fd, path,
	                    *path ? 0 : AT_EMPTY_PATH, &attr, sizeof attr);
}

int cx_mount_copy(int dir_fd, const char *path, unsigned attributes)
{
	int saved;
	int fd = (int)syscall(SYS_open_tree, dir_fd, path,
	                      OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC |
	                      (*path ? 0 : AT_EMPTY_PATH));

	if (fd < 0 || !attributes || set_attributes(fd, "", attributes) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

static int remount(const char *target, unsigned attributes)
{
	return mount(NULL, target, NULL, MS_REMOUNT | MS_BIND | attributes,
	             NULL);
}

static int bind_old(const char *path, const char *target, unsigned attributes)
{
	if (mount(path, target, NULL, MS_BIND, NULL) < 0)
		return -1;
	return attributes ? remount(target, attributes) : 0;
}

int cx_mount_bind(const char *path, const char *target, unsigned attributes)
{
	CX_AUTO_FD int fd = cx_mount_copy(AT_FDCWD, path, attributes);

	if (fd < 0 && errno == ENOSYS)
		return bind_old(path, target, attributes);
	if (fd < 0)
		return -1;
	if (cx_mount_attach(fd, target) < 0)
		return errno == ENOSYS ? bind_old(path, target, attributes)
		                       : -1;
	return 0;
}

int cx_mount_again(const char *mounted, const char *target)
{
	return mount(mounted, target, NULL, MS_BIND, NULL);
}

int cx_mount_restrict(const char *target, unsigned attributes)
{
	if (set_attributes(AT_FDCWD, target, attributes) == 0)
		return 0;
	return errno == ENOSYS ? remount(target, attributes) : -1;
}

int cx_mount_move_here(const char *target)
{
	return mount(".", target, NULL, MS_MOVE, NULL);
}

int cx_mount_private(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}
