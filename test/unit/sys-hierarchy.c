/* sys-hierarchy.c - finding where cgroups are mounted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "sys/hierarchy.h"

/* Both ways of finding come to the same folders. */
static void mountinfo_agrees(void **state)
{
	struct cx_hierarchy usual;
	struct cx_hierarchy read;

	(void)state;
	cx_hierarchy_find(&usual);
	cx_hierarchy_read(AT_FDCWD, "/proc/self/mountinfo", &read);
	assert_int_equal(usual.v2, read.v2);
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++) {
		struct stat one;
		struct stat two;

		assert_int_equal(usual.fd[tree] >= 0, read.fd[tree] >= 0);
		if (usual.fd[tree] < 0)
			continue;
		assert_int_equal(fstat(usual.fd[tree], &one), 0);
		assert_int_equal(fstat(read.fd[tree], &two), 0);
		assert_true(one.st_dev == two.st_dev &&
		            one.st_ino == two.st_ino);
	}
	cx_hierarchy_done(&usual);
	cx_hierarchy_done(&read);
}

/* A folder that only says that it is one isn't: the file system decides. */
static void lies_are_seen(void **state)
{
	static const char text[] =
		"1 0 0:1 / / rw - ext4 /dev/a rw\n"
		"2 1 0:2 / /tmp rw,relatime shared:1 - cgroup2 cgroup2 rw\n"
		"3 1 0:3 / /usr rw - cgroup cgroup rw,memory\n"
		"4 1 0:4 / /usr rw - cgroup cgroup rw,pids,cpu,freezer\n"
		"broken line\n"
		"5 1 - cgroup\n"
		" - \n";
	char name[] = "/tmp/cx-mountinfo-XXXXXX";
	CX_AUTO_FD int fd = mkstemp(name);
	struct cx_hierarchy read;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(cx_fd_write(fd, text, sizeof text - 1), 0);
	cx_hierarchy_read(AT_FDCWD, name, &read);
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		assert_int_equal(read.fd[tree], -1);
	assert_false(read.v2);
	unlink(name);
	cx_hierarchy_read(AT_FDCWD, name, &read);
	assert_int_equal(read.fd[CX_HIERARCHY_UNIFIED], -1);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(mountinfo_agrees),
		cmocka_unit_test(lies_are_seen),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
