/* root.c - see root.h. */
#include "sys/root.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "base/promise.h"

static int move_over(void)
{
	if (mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0)
		return -1;
	return chdir("/");
}

/*
 * pivot_root(".", ".") stacks the old root on the new one, where "." still
 * leads to the old: no folder for it is needed (pivot_root(2), NOTES).
 */
int cx_root_change(void)
{
	if (syscall(SYS_pivot_root, ".", ".") < 0)
		return errno == EINVAL ? move_over() : -1;
	if (!CX_PROMISE(host_tree_is_gone, umount2(".", MNT_DETACH) == 0))
		return -1;
	return chdir("/");
}
