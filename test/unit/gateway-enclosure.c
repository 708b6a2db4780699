/*
 * gateway-enclosure.c - a process that shut itself in: what the check says of
 * it, and that the check notices what is missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gateway/enclosure.h"
#include "sys/confine.h"

static const struct cx_enclosure_wish wish = { .door_fd = -1 };

/* What the child says, 0 for all that is right. */
static int in_child(int (*child)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(child());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int enter_and_check(void)
{
	struct cx_err err = { 0 };
	bool holds = false;
	json_t *all;

	cx_json_start();
	if (cx_enclosure_enter(&wish, &err) < 0)
		return 1;
	all = cx_enclosure_check(&holds);
	if (!holds) {
		CX_AUTO_BUF struct cx_buf text = { 0 };

		cx_json_write(all, &text);
		if (write(2, text.data, text.size) < 0)
			return 2;
		return 3;
	}
	return json_is_true(json_object_get(all, "seccomp")) ? 0 : 4;
}

static void holds_all(void **state)
{
	(void)state;
	if (!CX_CONFINE_WHOLE)
		skip();
	assert_int_equal(in_child(enter_and_check), 0);
}

static int only_check(void)
{
	bool holds = true;
	json_t *all = cx_enclosure_check(&holds);
	json_t *refused = json_object_get(all, "refused");

	if (holds || json_is_true(json_object_get(all, "seccomp")))
		return 1;
	return json_is_false(json_object_get(refused, "execute")) &&
	       json_is_false(json_object_get(refused, "fork")) &&
	       json_is_false(json_object_get(refused, "listen")) &&
	       json_is_false(json_object_get(refused, "unixSocket")) &&
	       json_is_false(json_object_get(refused, "readFile")) &&
	       json_is_false(json_object_get(refused, "executableMemory"))
		? 0 : 2;
}

static void notices_a_free_process(void **state)
{
	(void)state;
	assert_int_equal(in_child(only_check), 0);
}

/* What the loop does all the time goes on. */
static int work(void)
{
	struct cx_err err = { 0 };
	int pair[2];
	int fd;
	void *more;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 ||
	    cx_enclosure_enter(&wish, &err) < 0)
		return 1;
	fd = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return 2;
	more = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
	            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (more == MAP_FAILED || munmap(more, 1 << 20) < 0)
		return 3;
	if (send(pair[0], "x", 1, MSG_NOSIGNAL) != 1)
		return 4;
	return socket(AF_INET, SOCK_DGRAM, 0) < 0 ? 5 : 0;
}

static void goes_on(void **state)
{
	(void)state;
	assert_int_equal(in_child(work), 0);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(holds_all),
		cmocka_unit_test(notices_a_free_process),
		cmocka_unit_test(goes_on),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
