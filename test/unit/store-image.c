/* store-image.c - image references, and what a stamp says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "store/edition.h"
#include "store/image.h"
#include "store/owner.h"
#include "store/stamp.h"

#include <sys/stat.h>

static void checks_references(void **state)
{
	static const struct { const char *ref; bool safe; } row[] = {
		{ "debian-13", true },
		{ "sha256:0123", true },
		{ "docker.io/library/debian:13@sha256:00", true },
		{ "a+b_c.d", true },
		{ "a/-b", true },
		{ "", false },
		{ "-", false },
		{ "-v", false },
		{ "--", false },
		{ "--privileged", false },
		{ " a", false },
		{ "a b", false },
		{ "a\n", false },
		{ "a;b", false },
		{ "$(a)", false },
		{ "a'b", false },
		{ "a\\b", false },
		{ "\xc3\xa4", false },
		{ "..", false },
		{ ".", false },
		{ "a/../b", false },
		{ "a//b", false },
		{ "/a", false },
		{ "a/", false },
	};
	struct cx_err err;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		int got = cx_image_ref_check(row[i].ref, &err);

		if ((got == 0) != row[i].safe)
			fail_msg("%s", row[i].ref);
		if (got < 0)
			assert_int_equal(err.code, CX_E_UNSAFE_IMAGE_REF);
	}
}

static void bounds_references(void **state)
{
	struct cx_err err;
	char ref[257];

	(void)state;
	memset(ref, 'a', sizeof ref);
	ref[255] = '\0';
	assert_int_equal(cx_image_ref_check(ref, &err), 0);
	ref[255] = 'a';
	ref[256] = '\0';
	assert_int_equal(cx_image_ref_check(ref, &err), -1);
}

static void checks_names(void **state)
{
	static const struct { const char *name; bool good; } row[] = {
		{ "debian-13", true }, { "a", true }, { "0.x_y", true },
		{ "", false }, { "default", false }, { "Debian", false },
		{ ".a", false }, { "-a", false }, { "a/b", false },
		{ "a:b", false }, { "a b", false },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		if (cx_edition_name(row[i].name) != row[i].good)
			fail_msg("%s", row[i].name);
}

#define DIFF "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void reads_stamps(void **state)
{
	static const char good[] =
		"cx-image 1\nlayer sha256:" DIFF " 12 -3.000000004 5.6\n";
	static const char *const bad[] = {
		"layer sha256:" DIFF " 12 3.4 5.6",
		"layer sha256:" DIFF " 12 3.4 5.6 7\n",
		"layer sha256:" DIFF " 12 3.4\n",
		"layer sha256:0123 12 3.4 5.6\n",
		"layer " DIFF " 12 3.4 5.6\n",
		"lair sha256:" DIFF " 12 3.4 5.6\n",
		"\n",
	};
	struct cx_stamp_line line;
	const char *at = good;

	(void)state;
	assert_int_equal(cx_stamp_head(&at), 0);
	assert_int_equal(cx_stamp_read(&at, &line), 0);
	assert_string_equal(at, "");
	assert_int_equal(line.inode, 12);
	assert_int_equal(line.mtime_s, -3);
	assert_int_equal(line.mtime_ns, 4);
	assert_int_equal(line.ctime_ns, 6);
	for (size_t i = 0; i < CX_COUNT(bad); i++) {
		at = bad[i];
		if (cx_stamp_read(&at, &line) == 0)
			fail_msg("%s", bad[i]);
	}
	at = "cx-image 2\n";
	assert_int_equal(cx_stamp_head(&at), -1);
}

static void tames_modes(void **state)
{
	static const struct { mode_t mode, disk; } row[] = {
		{ S_IFREG | 0644, 0644 }, { S_IFREG | 0755, 0755 },
		{ S_IFREG | 04755, 0755 }, { S_IFREG | 02755, 0755 },
		{ S_IFREG | 0666, 0644 }, { S_IFREG | 0000, 0400 },
		{ S_IFREG | 0640, 0640 }, { S_IFDIR | 01777, 0755 },
		{ S_IFDIR | 0000, 0500 }, { S_IFDIR | 02775, 0755 },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		const struct cx_entry entry = { .mode = row[i].mode };

		assert_int_equal(cx_owner_mode(&entry), row[i].disk);
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(checks_references),
		cmocka_unit_test(bounds_references),
		cmocka_unit_test(checks_names),
		cmocka_unit_test(reads_stamps),
		cmocka_unit_test(tames_modes),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
