/* store-tarname.c - which names an archive may use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "store/tarname.h"

static void makes_names_plain(void **state)
{
	static const struct { const char *name, *plain; } row[] = {
		{ "etc/passwd", "etc/passwd" },
		{ "./etc/passwd", "etc/passwd" },
		{ "././etc//passwd/", "etc/passwd" },
		{ "etc/./passwd", "etc/passwd" },
		{ ".", "" },
		{ "./", "" },
		{ "...", "..." },
		{ "..a/b..", "..a/b.." },
		{ "", NULL },
		{ "/", NULL },
		{ "/etc", NULL },
		{ "//etc", NULL },
		{ "..", NULL },
		{ "../", NULL },
		{ "./..", NULL },
		{ "a/..", NULL },
		{ "a/../b", NULL },
	};
	char plain[CX_TARNAME_MAX];

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		bool taken = cx_tarname_plain(row[i].name, plain);

		if (taken != (row[i].plain != NULL))
			fail_msg("%s", row[i].name);
		if (taken)
			assert_string_equal(plain, row[i].plain);
	}
}

static void bounds_names(void **state)
{
	char name[CX_TARNAME_MAX * 2], plain[CX_TARNAME_MAX];

	(void)state;
	memset(name, 'n', 256);
	name[255] = '\0';
	assert_true(cx_tarname_plain(name, plain));
	name[255] = 'n';
	name[256] = '\0';
	assert_false(cx_tarname_plain(name, plain));
	for (size_t i = 0; i < sizeof name - 1; i++)
		name[i] = i % 2 ? '/' : 'd';
	name[CX_TARNAME_MAX - 1] = '\0'; /* ends in d: 4095 bytes */
	assert_true(cx_tarname_plain(name, plain));
	name[CX_TARNAME_MAX - 1] = '/';
	name[CX_TARNAME_MAX + 1] = '\0';
	assert_false(cx_tarname_plain(name, plain));
}

static void keeps_links_inside(void **state)
{
	static const struct { const char *path, *target; bool stays; } row[] = {
		{ "bin", "usr/bin", true },
		{ "bin/sh", "/bin/dash", true },
		{ "usr/lib/a", "../../etc/b", true },
		{ "usr/lib/a", "../..", true },
		{ "usr/lib/a", "../../..", false },
		{ "usr/lib/a", "../../../etc", false },
		{ "a", "..", false },
		{ "a", "b/../..", false },
		{ "a", "./..", false },
		{ "a/b", "c/../../..", false },
		{ "a/b", "c/../..", true },
		{ "a", "/..", false },
		{ "a/b/c", "/../x", false },
		{ "a/b/c", "/x/..", true },
		{ "a", "", false },
		{ "a", ".", true },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		if (cx_tarname_link_stays(row[i].path, row[i].target) !=
		    row[i].stays)
			fail_msg("%s -> %s", row[i].path, row[i].target);
}

static void reads_marks(void **state)
{
	static const struct {
		const char *path;
		enum cx_tarname_mark mark;
		const char *about;
	} row[] = {
		{ "etc/passwd", CX_TARNAME_PLAIN, NULL },
		{ "etc/.who", CX_TARNAME_PLAIN, NULL },
		{ ".wh.a/b", CX_TARNAME_PLAIN, NULL },
		{ "etc/.wh.passwd", CX_TARNAME_WHITEOUT, "etc/passwd" },
		{ ".wh.etc", CX_TARNAME_WHITEOUT, "etc" },
		{ "etc/.wh..wh..opq", CX_TARNAME_OPAQUE, "etc" },
		{ ".wh..wh..opq", CX_TARNAME_OPAQUE, "" },
		{ ".wh..wh.plnk", CX_TARNAME_AUFS, NULL },
		{ "etc/.wh.", CX_TARNAME_FAULTY, NULL },
		{ "etc/.wh..", CX_TARNAME_FAULTY, NULL },
		{ "etc/.wh...", CX_TARNAME_FAULTY, NULL },
	};
	char about[CX_TARNAME_MAX];

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		if (cx_tarname_mark(row[i].path, about) != row[i].mark)
			fail_msg("%s", row[i].path);
		if (row[i].about)
			assert_string_equal(about, row[i].about);
	}
}

static void knows_hostile_attributes(void **state)
{
	static const struct { const char *name; bool hostile; } row[] = {
		{ "trusted.overlay.opaque", true },
		{ "trusted.anything", true },
		{ "user.overlay.redirect", true },
		{ "user.cx.own", true },
		{ "user.mime_type", false },
		{ "security.capability", false },
		{ "system.posix_acl_access", false },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++)
		if (cx_tarname_xattr_is_hostile(row[i].name) != row[i].hostile)
			fail_msg("%s", row[i].name);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(makes_names_plain),
		cmocka_unit_test(bounds_names),
		cmocka_unit_test(keeps_links_inside),
		cmocka_unit_test(reads_marks),
		cmocka_unit_test(knows_hostile_attributes),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
