/*
 * sys-process.c - what a process gives up before it becomes the command:
 * capabilities, limits, CPUs, files. Each in a child; its exit status is the
 * number of the line that didn't hold, modulo 256, 0 when all did.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/path.h"
#include "sys/affinity.h"
#include "sys/caps.h"
#include "sys/confine.h"
#include "sys/landlock.h"
#include "sys/rlimit.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			_exit(__LINE__ % 255 + 1); \
	} while (0)

static int in_child(void (*work)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		work();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void drop(void)
{
	CHECK(!cx_caps_none());
	CHECK(cx_caps_drop() == 0);
	CHECK(!cx_caps_none());
	CHECK(cx_caps_no_new_privs() == 0);
	CHECK(cx_caps_none());
	CHECK(chroot("/") == -1 && errno == EPERM);
	CHECK(cx_caps_drop() == -1);
}

static void capabilities(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(in_child(drop), 0);
}

static void limit(void)
{
	const struct cx_rlimits limits = {
		.file_size_bytes = 4096, .nofile_soft = 64, .nofile_hard = 128,
	};
	struct rlimit got;

	CHECK(cx_rlimit_apply(&limits) == 0);
	CHECK(getrlimit(RLIMIT_CORE, &got) == 0);
	CHECK(got.rlim_cur == 1 && got.rlim_max == 1);
	CHECK(getrlimit(RLIMIT_FSIZE, &got) == 0);
	CHECK(got.rlim_cur == 4096 && got.rlim_max == 4096);
	CHECK(getrlimit(RLIMIT_NOFILE, &got) == 0);
	CHECK(got.rlim_cur == 64 && got.rlim_max == 128);
	CHECK(getrlimit(RLIMIT_STACK, &got) == 0);
	CHECK(got.rlim_cur <= 8 << 20);
	CHECK(getrlimit(RLIMIT_RTPRIO, &got) == 0);
	CHECK(got.rlim_max == 0);
	/* again, and wider: what is lowered stays so */
	CHECK(cx_rlimit_apply(&(struct cx_rlimits){
		.file_size_bytes = 8192, .nofile_soft = 4096,
		.nofile_hard = 8192, .cpu_s = 5 }) == 0);
	CHECK(getrlimit(RLIMIT_FSIZE, &got) == 0 && got.rlim_max == 4096);
	CHECK(getrlimit(RLIMIT_NOFILE, &got) == 0 && got.rlim_max == 128);
	CHECK(getrlimit(RLIMIT_CPU, &got) == 0);
	CHECK(got.rlim_cur == 5 && got.rlim_max == 6);
}

static void limits(void **state)
{
	(void)state;
	assert_int_equal(in_child(limit), 0);
}

static void narrow(void)
{
	cpu_set_t set;

	CHECK(cx_affinity_mirror(NULL, 1000) == 0);
	CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
	CHECK(CPU_COUNT(&set) == 1);
	CHECK(cx_affinity_mirror(NULL, 64000) == 0);
	CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
	CHECK(CPU_COUNT(&set) == 1);
}

static void cpus(void **state)
{
	static const struct {
		uint64_t milli;
		unsigned width;
	} row[] = {
		{ 0, 1 }, { 1, 1 }, { 999, 1 }, { 1000, 1 }, { 1001, 2 },
		{ 2500, 3 }, { 64000, 64 }, { UINT64_MAX, 8192 },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		assert_int_equal(cx_affinity_width(row[i].milli),
		                 row[i].width);
	assert_int_equal(in_child(narrow), 0);
}

static bool touch(const char *path)
{
	CX_AUTO_FD int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd >= 0;
}

static void fence(void)
{
	static const struct cx_landlock_grant grant[] = {
		{ "/", CX_LANDLOCK_READ, false },
		{ "work", CX_LANDLOCK_WRITE, false },
		{ "/dev/null", CX_LANDLOCK_DEVICE, false },
		{ "/nowhere", CX_LANDLOCK_WRITE, true },
	};
	int fd;

	CHECK(cx_confine_self(grant, CX_COUNT(grant)) == 0);
	CHECK(prctl(PR_GET_DUMPABLE) == 0);
	CHECK(touch("work/a"));
	CHECK(mkdir("work/b", 0700) == 0);
	CHECK(rename("work/a", "work/b/a") == 0);
	CHECK(!touch("beside") && errno == EACCES);
	CHECK(!touch("old") && errno == EACCES);
	CHECK(truncate("old", 0) == -1 && errno == EACCES);
	CHECK(rename("work/b/a", "beside") == -1);
	CHECK(unlink("old") == -1 && errno == EACCES);
	CHECK(access("old", R_OK) == 0);
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0 && write(fd, "x", 1) == 1);
	/* a missing file that isn't optional is a failure, said as such */
	CHECK(cx_landlock_enter(&(struct cx_landlock_grant){
		"/nowhere", CX_LANDLOCK_READ, false }, 1) == -1);
}

static void files(void **state)
{
	char name[] = "/tmp/cx-landlock-XXXXXX";
	CX_AUTO_FD int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	if (cx_landlock_abi() < 2 || !CX_CONFINE_WHOLE)
		skip();
	assert_non_null(mkdtemp(name));
	assert_int_equal(chdir(name), 0);
	assert_int_equal(mkdir("work", 0700), 0);
	assert_true(touch("old"));
	assert_int_equal(in_child(fence), 0);
	assert_int_equal(fchdir(back), 0);
	assert_int_equal(cx_path_remove(AT_FDCWD, name), 0);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(capabilities),
		cmocka_unit_test(limits),
		cmocka_unit_test(cpus),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
