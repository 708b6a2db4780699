/* data-digest.c - SHA-256 of texts, streams and files, and its text form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "base/count.h"
#include "base/fd.h"
#include "data/digest.h"

#define EMPTY "sha256:e3b0c44298fc1c149afbf4c8996fb924" \
	"27ae41e4649b934ca495991b7852b855"
#define ABC "sha256:ba7816bf8f01cfea414140de5dae2223" \
	"b00361a396177a9cb410ff61f20015ad"
#define MILLION "sha256:cdc76e5c9914fb9281a1c7e284d73e67" \
	"f1809a48a497200e046d39ccc7112cd0"

static void texts(void **state)
{
	struct cx_digest digest;
	char text[CX_DIGEST_TEXT];

	(void)state;
	cx_digest_of("", 0, &digest);
	cx_digest_text(&digest, text);
	assert_string_equal(text, EMPTY);
	cx_digest_of("abc", 3, &digest);
	cx_digest_text(&digest, text);
	assert_string_equal(text, ABC);
}

/* FIPS 180-4: a million of "a", in pieces and from a file. */
static void streams(void **state)
{
	CX_AUTO_FD int fd = memfd_create("x", MFD_CLOEXEC);
	struct cx_digest_stream stream;
	struct cx_digest digest, again;
	char block[1000], text[CX_DIGEST_TEXT];
	uint64_t size;

	(void)state;
	memset(block, 'a', sizeof block);
	cx_digest_start(&stream);
	for (int i = 0; i < 1000; i++) {
		cx_digest_add(&stream, block, sizeof block);
		assert_int_equal(cx_fd_write(fd, block, sizeof block), 0);
	}
	cx_digest_end(&stream, &digest);
	cx_digest_text(&digest, text);
	assert_string_equal(text, MILLION);
	assert_true(lseek(fd, 0, SEEK_SET) == 0);
	assert_int_equal(cx_digest_file(fd, &again, &size), 0);
	assert_true(cx_digest_same(&digest, &again));
	assert_int_equal(size, 1000000);
	assert_int_equal(cx_digest_file(-1, &again, &size), -1);
}

static void forms(void **state)
{
	static const char *const bad[] = {
		"", "sha256:", EMPTY "0", "sha512:00",
		"SHA256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991"
		"b7852b855",
		"sha256:E3B0C44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991"
		"b7852b855",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8"
		"55", " " EMPTY, "sha256: 3b0c4",
	};
	struct cx_digest digest, empty;

	(void)state;
	cx_digest_of("", 0, &empty);
	assert_true(cx_digest_parse(EMPTY, &digest));
	assert_true(cx_digest_same(&digest, &empty));
	for (size_t i = 0; i < CX_COUNT(bad); i++)
		assert_false(cx_digest_parse(bad[i], &digest));
	assert_true(cx_digest_parse(ABC, &digest));
	assert_false(cx_digest_same(&digest, &empty));
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(streams),
		cmocka_unit_test(forms),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
