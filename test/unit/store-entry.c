/* store-entry.c - the list of a layer: order, twins, second names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "base/count.h"
#include "base/mem.h"
#include "store/entry.h"

static void add(struct cx_entries *list, const char *path, const char *target)
{
	CX_AUTO_FREE char *own = cx_mem_text(path);
	CX_AUTO_FREE char *link = target ? cx_mem_text(target) : NULL;
	const struct cx_entry entry = { .path = own, .link = link,
	                                .hard = target != NULL,
	                                .mode = S_IFREG | 0644,
	                                .size = target ? 0 : 7 };

	cx_entry_add(list, &entry);
}

static void sorts_by_bytes(void **state)
{
	static const char *const in[] = { "b", "a/b", "a", "", "a-b", "\xc3\xa4",
	                                  "Z" };
	static const char *const out[] = { "", "Z", "a", "a-b", "a/b", "b",
	                                   "\xc3\xa4" };
	struct cx_entries list = { 0 };

	(void)state;
	for (size_t i = 0; i < CX_COUNT(in); i++)
		add(&list, in[i], NULL);
	cx_entry_sort(&list);
	assert_int_equal(list.count, CX_COUNT(out));
	for (size_t i = 0; i < CX_COUNT(out); i++)
		assert_string_equal(list.entry[i].path, out[i]);
	assert_ptr_equal(cx_entry_find(&list, "a/b"), &list.entry[4]);
	assert_null(cx_entry_find(&list, "a/"));
	cx_entry_done(&list);
}

static void keeps_the_last_twin(void **state)
{
	struct cx_entries list = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		add(&list, i % 2 ? "etc" : "usr", NULL);
		list.entry[list.count - 1].uid = i;
	}
	cx_entry_sort(&list);
	assert_int_equal(list.count, 2);
	assert_int_equal(cx_entry_find(&list, "usr")->uid, 98);
	assert_int_equal(cx_entry_find(&list, "etc")->uid, 99);
	cx_entry_done(&list);
}

static void makes_the_first_name_the_file(void **state)
{
	struct cx_entries list = { 0 };

	(void)state;
	add(&list, "m", NULL);
	add(&list, "z", "m");
	add(&list, "a", "m");
	add(&list, "b", "m");
	cx_entry_sort(&list);
	cx_entry_relink(&list);
	assert_false(cx_entry_find(&list, "a")->hard);
	assert_int_equal(cx_entry_find(&list, "a")->size, 7);
	for (const char *const *name = (const char *const[]){ "b", "m", "z",
	                                                      NULL };
	     *name; name++) {
		const struct cx_entry *entry = cx_entry_find(&list, *name);

		assert_true(entry->hard);
		assert_string_equal(entry->link, "a");
		assert_int_equal(entry->size, 0);
	}
	cx_entry_done(&list);
}

static void drops_what_is_below(void **state)
{
	struct cx_entries list = { 0 };

	(void)state;
	add(&list, "a", NULL);
	add(&list, "a/b", NULL);
	add(&list, "a-b", NULL);
	cx_entry_drop(&list, "a");
	assert_int_equal(list.count, 1);
	assert_string_equal(list.entry[0].path, "a-b");
	cx_entry_done(&list);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(sorts_by_bytes),
		cmocka_unit_test(keeps_the_last_twin),
		cmocka_unit_test(makes_the_first_name_the_file),
		cmocka_unit_test(drops_what_is_below),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
