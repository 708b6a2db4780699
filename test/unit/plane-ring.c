/* plane-ring.c - the ring and its keys, in a state folder of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "../lib/place.h"
#include "base/count.h"
#include "base/fd.h"
#include "base/path.h"
#include "plane/key.h"
#include "plane/secret.h"

static int begin(void **state)
{
	static struct cx_state made;
	struct cx_err err;

	if (place_begin(state) < 0 || setenv("CX_STATE", place, 1) < 0)
		return -1;
	*state = &made;
	return cx_state_open(&made, &err);
}

static int end(void **state)
{
	cx_state_done(*state);
	return place_end(state);
}

static void write_file(const struct cx_state *state, const char *name,
                       const void *data, size_t size, mode_t mode)
{
	CX_AUTO_FD int keys_fd = -1;
	CX_AUTO_FD int fd = -1;
	struct cx_err err;

	assert_int_equal(cx_state_folder(state, CX_STATE_KEYS, &keys_fd, &err),
	                 0);
	unlinkat(keys_fd, name, 0);
	fd = openat(keys_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(cx_fd_write(fd, data, size), 0);
}

#define ENTRY(kid, members) "{\"kid\":\"" kid "\",\"purpose\":\"session\"," \
	"\"alg\":\"hmac-sha256\",\"state\":\"active\"" members "}"

static void faults(void **given)
{
	static const struct {
		const char *text;
		enum cx_class code;
	} row[] = {
		{ "[]", CX_E_NONE },
		{ "[" ENTRY("a", ",\"file\":\"a.key\"") "]", CX_E_NONE },
		{ "[" ENTRY("a", ",\"file\":\"a.key\",\"notAfter\":5") "]",
		  CX_E_NONE },
		{ "[" ENTRY("a", ",\"file\":\"a.key\",\"notAfter\":null") "]",
		  CX_E_NONE },
		{ "", CX_E_KEY_INVALID },
		{ "{}", CX_E_KEY_INVALID },
		{ "[1]", CX_E_KEY_INVALID },
		{ "[" ENTRY("a", "") "]", CX_E_KEY_INVALID },
		{ "[" ENTRY("A", ",\"file\":\"a.key\"") "]",
		  CX_E_KEY_INVALID },
		{ "[" ENTRY("a", ",\"file\":\"../a.key\"") "]",
		  CX_E_KEY_INVALID },
		{ "[" ENTRY("a", ",\"file\":\"a.key\",\"note\":\"x\"") "]",
		  CX_E_KEY_INVALID },
		{ "[" ENTRY("a", ",\"file\":\"a.key\",\"notAfter\":\"5\"")
		  "]", CX_E_KEY_INVALID },
		{ "[" ENTRY("a", ",\"file\":\"a.key\"") ","
		  ENTRY("a", ",\"file\":\"b.key\"") "]", CX_E_KEY_INVALID },
	};
	const struct cx_state *state = *given;

	for (size_t i = 0; i < CX_COUNT(row); i++) {
		CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
		struct cx_err err = { 0 };
		int result;

		write_file(state, "ring.json", row[i].text,
		           strlen(row[i].text), 0600);
		result = cx_ring_load(state, &ring, &err);
		assert_int_equal(result, row[i].code ? -1 : 0);
		assert_int_equal(err.code, row[i].code);
	}
}

static void permissions(void **given)
{
	const struct cx_state *state = *given;
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	struct cx_err err = { 0 };

	assert_int_equal(cx_ring_load(state, &ring, &err), -1);
	assert_int_equal(err.code, CX_E_KEY_MISSING);
	write_file(state, "ring.json", "[]", 2, 0620);
	assert_int_equal(cx_ring_load(state, &ring, &err), -1);
	assert_int_equal(err.code, CX_E_KEY_PERMISSIONS);
	write_file(state, "ring.json", "[]", 2, 0644);
	assert_int_equal(cx_ring_load(state, &ring, &err), 0);
}

static void bounds(void **given)
{
	struct cx_ring_entry entry = {
		.purpose = CX_RING_SESSION, .state = CX_RING_ACTIVE,
		.not_before = 10, .not_after = 20,
	};

	(void)given;
	assert_false(cx_ring_verifies(&entry, CX_RING_SESSION, 9));
	assert_true(cx_ring_verifies(&entry, CX_RING_SESSION, 10));
	assert_true(cx_ring_verifies(&entry, CX_RING_SESSION, 19));
	assert_false(cx_ring_verifies(&entry, CX_RING_SESSION, 20));
	assert_false(cx_ring_verifies(&entry, CX_RING_AUDIT, 15));
	entry.state = CX_RING_VERIFY_ONLY;
	assert_true(cx_ring_verifies(&entry, CX_RING_SESSION, 15));
	entry.state = CX_RING_RETIRED;
	assert_false(cx_ring_verifies(&entry, CX_RING_SESSION, 15));
}

static void first_key(void **given)
{
	const struct cx_state *state = *given;
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	char kid[CX_RING_KID_MAX], again[CX_RING_KID_MAX];
	char instance[CX_KEY_INSTANCE_MAX];
	uint8_t key[CX_RING_KEY_BYTES];
	struct cx_err err = { 0 };

	assert_int_equal(cx_key_instance(state, instance, &err), -1);
	assert_int_equal(err.code, CX_E_KEY_MISSING);
	assert_int_equal(cx_key_first(state, CX_RING_SESSION, kid, &err), 0);
	assert_true(cx_ring_is_kid(kid, strlen(kid)));
	assert_int_equal(cx_key_first(state, CX_RING_SESSION, again, &err), 0);
	assert_string_equal(again, "");
	assert_int_equal(cx_key_first(state, CX_RING_AUDIT, again, &err), 0);
	assert_string_not_equal(again, "");
	assert_int_equal(cx_key_instance(state, instance, &err), 0);
	assert_int_equal(strlen(instance), 32);
	assert_int_equal(cx_ring_load(state, &ring, &err), 0);
	assert_int_equal(ring.count, 2);
	assert_string_equal(cx_ring_active(&ring, CX_RING_SESSION, 5)->kid,
	                    kid);
	assert_int_equal(cx_secret_read(&ring, cx_ring_find(&ring, kid), key,
	                             &err), 0);
}

static void rotation(void **given)
{
	const struct cx_state *state = *given;
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	char kid[CX_RING_KID_MAX];
	struct cx_err err = { 0 };
	bool changed;

	assert_int_equal(cx_key_first(state, CX_RING_SESSION, kid, &err), 0);
	assert_int_equal(cx_ring_refresh(state, &ring, &changed, &err), 0);
	assert_true(changed);
	assert_int_equal(cx_ring_refresh(state, &ring, &changed, &err), 0);
	assert_false(changed);
	assert_int_equal(cx_key_add(state, CX_RING_SESSION, "second",
	                            CX_RING_VERIFY_ONLY, kid, &err), 0);
	assert_int_equal(cx_ring_refresh(state, &ring, &changed, &err), 0);
	assert_true(changed);
	assert_int_equal(cx_key_change(state, "second", CX_RING_ACTIVE, &err),
	                 0);
	assert_int_equal(cx_ring_refresh(state, &ring, &changed, &err), 0);
	assert_int_equal(ring.entry[0].state, CX_RING_VERIFY_ONLY);
	assert_string_equal(cx_ring_active(&ring, CX_RING_SESSION, 5)->kid,
	                    "second");
	assert_int_equal(cx_key_change(state, "second", CX_RING_RETIRED, &err),
	                 0);
	assert_int_equal(cx_key_change(state, "second", CX_RING_ACTIVE, &err),
	                 -1);
	assert_int_equal(err.code, CX_E_INPUT_INVALID);
	assert_int_equal(cx_key_change(state, "third", CX_RING_ACTIVE, &err),
	                 -1);
	assert_int_equal(cx_ring_refresh(state, &ring, &changed, &err), 0);
	assert_null(cx_ring_active(&ring, CX_RING_SESSION, 5));
}

static void key_files(void **given)
{
	static const uint8_t good[33] = { 0x20, 1, 2, 3, [31] = 0x0a };
	static const uint8_t zero[32] = { 0 };
	static const struct {
		const uint8_t *data;
		size_t size;
		mode_t mode;
		enum cx_class code;
	} row[] = {
		{ good, 32, 0600, CX_E_NONE },
		{ good, 32, 0400, CX_E_NONE },
		{ good, 32, 0640, CX_E_KEY_PERMISSIONS },
		{ good, 32, 0604, CX_E_KEY_PERMISSIONS },
		{ good, 31, 0600, CX_E_KEY_INVALID },
		{ good, 33, 0600, CX_E_KEY_INVALID },
		{ good, 0, 0600, CX_E_KEY_INVALID },
		{ zero, 32, 0600, CX_E_KEY_INVALID },
	};
	const struct cx_state *state = *given;
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	uint8_t key[CX_RING_KEY_BYTES];
	struct cx_err err = { 0 };
	const char *text = "[" ENTRY("a", ",\"file\":\"a.key\"") "]";

	write_file(state, "ring.json", text, strlen(text), 0600);
	assert_int_equal(cx_ring_load(state, &ring, &err), 0);
	assert_int_equal(cx_secret_read(&ring, &ring.entry[0], key, &err), -1);
	assert_int_equal(err.code, CX_E_KEY_MISSING);
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		int result;

		err.code = CX_E_NONE;
		write_file(state, "a.key", row[i].data, row[i].size,
		           row[i].mode);
		result = cx_secret_read(&ring, &ring.entry[0], key, &err);
		assert_int_equal(result, row[i].code ? -1 : 0);
		assert_int_equal(err.code, row[i].code);
		if (result == 0)
			assert_memory_equal(key, row[i].data, 32);
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test_setup_teardown(faults, begin, end),
		cmocka_unit_test_setup_teardown(permissions, begin, end),
		cmocka_unit_test(bounds),
		cmocka_unit_test_setup_teardown(first_key, begin, end),
		cmocka_unit_test_setup_teardown(rotation, begin, end),
		cmocka_unit_test_setup_teardown(key_files, begin, end),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
