/* overlay.c - see overlay.h. */
#include "sys/overlay.h"

#include <errno.h>
#include <limits.h>

#include "base/fd.h"

enum { FSCONFIG_VALUE_MAX = 255 };

/* "a:b", with the separator and the escape escaped. */
static int join(const char *const *lower, size_t count, char *ret, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			ret[used++] = ':';
		for (const char *at = lower[i]; *at; at++) {
			if (used + 4 > size) {
				errno = E2BIG;
				return -1;
			}
			if (*at == ':' || *at == '\\' || *at == ',')
				ret[used++] = '\\';
			ret[used++] = *at;
		}
	}
	ret[used] = '\0';
	return 0;
}

/* mount(2) attaches to a path only, and "." then still leads below. (Apart, so
 * that who doesn't need it doesn't touch its stack.) */
__attribute__((noinline))
static int enter_old(const char *const *lower, size_t count, bool userxattr,
                     unsigned attributes)
{
	char lowerdir[CX_OVERLAY_BYTES_MAX];
	char data[CX_OVERLAY_BYTES_MAX + 64];
	char here[PATH_MAX];

	if (join(lower, count, lowerdir, sizeof lowerdir) < 0)
		return -1;
	snprintf(data, sizeof data, "lowerdir=%s%s", lowerdir,
	         userxattr ? ",userxattr" : "");
	if (!getcwd(here, sizeof here) ||
	    mount("overlay", ".", "overlay", attributes, data) < 0)
		return -1;
	return chdir(here);
}

static int enter_new(const char *lowerdir, bool userxattr, unsigned attributes)
{
	const struct cx_mount_option option[] = {
		{ "source", "overlay" },
		{ "lowerdir", lowerdir },
		{ userxattr ? "userxattr" : NULL, NULL },
		{ NULL, NULL },
	};
	CX_AUTO_FD int fd = cx_mount_detached("overlay", option, attributes);

	if (fd < 0 || cx_mount_attach(fd, ".") < 0)
		return -1;
	return fchdir(fd);
}

/* The new calls take at most 255 bytes a value. */
int cx_overlay_enter(const char *const *lower, size_t count, bool userxattr,
                     unsigned attributes)
{
	char lowerdir[FSCONFIG_VALUE_MAX + 1];

	if (join(lower, count, lowerdir, sizeof lowerdir) == 0) {
		if (enter_new(lowerdir, userxattr, attributes) == 0)
			return 0;
		if (errno != ENOSYS)
			return -1;
	}
	return enter_old(lower, count, userxattr, attributes);
}
