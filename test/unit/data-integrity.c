/* data-integrity.c - npm's hashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/mman.h>

#include "base/count.h"
#include "base/fd.h"
#include "data/integrity.h"

/* SHA-512 of "abc" (FIPS 180-2), in base64. */
#define ABC "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6" \
	"PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="

static void checks_files(void **state)
{
	CX_AUTO_FD int fd = memfd_create("file", MFD_CLOEXEC);
	struct cx_err err;

	(void)state;
	assert_int_equal(cx_fd_write(fd, "abc", 3), 0);
	assert_int_equal(cx_integrity_check(fd, ABC, "it", &err), 0);
	assert_int_equal(cx_fd_write(fd, "d", 1), 0);
	assert_int_equal(cx_integrity_check(fd, ABC, "it", &err), -1);
	assert_int_equal(err.code, CX_E_DIGEST_MISMATCH);
}

static void takes_one_form(void **state)
{
	static const char *const bad[] = {
		"", "sha512-", "sha512", "sha1-" "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
		"sha512-AAAA", "SHA512-AAAA", " " ABC, ABC " ", ABC "=",
		"sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
	};

	(void)state;
	assert_true(cx_integrity_well_formed(ABC));
	for (size_t i = 0; i < CX_COUNT(bad); i++)
		if (cx_integrity_well_formed(bad[i]))
			fail_msg("%s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(checks_files),
		cmocka_unit_test(takes_one_form),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
