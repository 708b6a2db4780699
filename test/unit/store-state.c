/* store-state.c - where the state folder is, whose, and what is in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "../lib/place.h"
#include "base/fd.h"
#include "base/path.h"
#include "store/state.h"

static void in(const char *below, char ret[128])
{
	snprintf(ret, 128, "%s/%s", place, below);
}

static void makes_what_it_opens(void **given)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	struct cx_err err = { 0 };
	char path[128];

	(void)given;
	in("deep/er/cx", path);
	setenv("CX_STATE", path, 1);
	assert_int_equal(cx_state_find(&state, &err), -1);
	assert_int_equal(err.sys, ENOENT);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(cx_state_open(&state, &err), 0);
	assert_string_equal(state.path, path);
	cx_state_done(&state);
	assert_int_equal(cx_state_find(&state, &err), 0);
}

static void a_relative_path_is_ours(void **given)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	struct cx_err err = { 0 };
	char path[128];

	(void)given;
	assert_int_equal(chdir(place), 0);
	setenv("CX_STATE", "here", 1);
	assert_int_equal(cx_state_open(&state, &err), 0);
	in("here", path);
	assert_string_equal(state.path, path);
	assert_int_equal(chdir("/"), 0);
}

static void the_environment_says_where(void **given)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	struct cx_err err = { 0 };
	const bool root = geteuid() == 0;
	char path[128];

	(void)given;
	if (root) { /* whose own would be /var/lib/cx */
		assert_int_equal(chown(place, 12345, 12345), 0);
		assert_int_equal(seteuid(12345), 0);
	}
	setenv("CX_STATE", "", 1);
	setenv("XDG_STATE_HOME", place, 1);
	assert_int_equal(cx_state_open(&state, &err), 0);
	in("cx", path);
	assert_string_equal(state.path, path);
	cx_state_done(&state);
	unsetenv("XDG_STATE_HOME");
	setenv("HOME", place, 1);
	assert_int_equal(cx_state_open(&state, &err), 0);
	in(".local/state/cx", path);
	assert_string_equal(state.path, path);
	cx_state_done(&state);
	unsetenv("HOME");
	assert_int_equal(cx_state_open(&state, &err), -1);
	assert_int_equal(err.code, CX_E_CONFIG_INVALID);
	if (root)
		assert_int_equal(seteuid(0), 0);
}

static void others_may_not_write(void **given)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	struct cx_err err = { 0 };

	(void)given;
	setenv("CX_STATE", place, 1);
	assert_int_equal(chmod(place, 0770), 0);
	assert_int_equal(cx_state_open(&state, &err), -1);
	assert_int_equal(err.code, CX_E_CONFIG_INVALID);
	assert_int_equal(chmod(place, 0755), 0);
	assert_int_equal(cx_state_open(&state, &err), 0);
}

static void folders(void **given)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	struct cx_err err = { 0 };
	struct stat found;
	mode_t before;
	int fd = -2;

	(void)given;
	setenv("CX_STATE", place, 1);
	assert_int_equal(cx_state_open(&state, &err), 0);
	assert_int_equal(cx_state_peek(&state, CX_STATE_OCI, &fd, &err), 0);
	assert_int_equal(fd, -1);
	before = umask(0077);
	assert_int_equal(cx_state_folder(&state, CX_STATE_OCI, &fd, &err), 0);
	umask(before);
	assert_int_equal(fstat(fd, &found), 0);
	assert_int_equal(found.st_mode & 0777, 0755);
	cx_fd_close_at(&fd);
	assert_int_equal(cx_state_folder(&state, CX_STATE_WS, &fd, &err), 0);
	assert_int_equal(fstat(fd, &found), 0);
	assert_int_equal(found.st_mode & 0777, 0700);
	cx_fd_close_at(&fd);
	assert_int_equal(cx_state_folder(&state, CX_STATE_SKILLS, &fd, &err),
	                 0);
	cx_fd_close_at(&fd);
	/* a folder that is a link isn't ours */
	assert_int_equal(symlinkat("/tmp", state.fd, "keys"), 0);
	assert_int_equal(cx_state_folder(&state, CX_STATE_KEYS, &fd, &err),
	                 -1);
}

static void shared(void **given)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	CX_AUTO_STATE struct cx_state other = CX_STATE_NONE;
	struct cx_err err = { 0 };
	char path[128];

	(void)given;
	setenv("CX_STATE", place, 1);
	assert_int_equal(cx_state_open(&state, &err), 0);
	in("missing", path);
	assert_int_equal(cx_state_shared(path, &state, &other, &err), 0);
	assert_int_equal(other.fd, -1);
	assert_int_equal(cx_state_shared(place, &state, &other, &err), 0);
	assert_int_equal(other.fd, -1);
	in("open", path);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(cx_state_shared(path, &state, &other, &err), 0);
	assert_true(other.fd >= 0 && other.shared);
	cx_state_done(&other);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(cx_state_shared(path, &state, &other, &err), -1);
	assert_int_equal(err.code, CX_E_CONFIG_INVALID);
}

int main(void)
{
	const struct CMUnitTest test[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, place_begin, place_end)
		TEST(makes_what_it_opens),
		TEST(a_relative_path_is_ours),
		TEST(the_environment_says_where),
		TEST(others_may_not_write),
		TEST(folders),
		TEST(shared),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
