/* data-mac.c - HMAC, HKDF and PAE against published vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../lib/corpus.h"
#include "base/count.h"
#include "base/hex.h"
#include "data/json.h"
#include "data/mac.h"

/* The bytes of a member in hexadecimal; their number in *ret_size. */
static uint8_t *bytes(const json_t *row, const char *name, size_t *ret_size)
{
	const char *text = cx_json_text(row, name);
	uint8_t *made = cx_mem_new(strlen(text) / 2 + 1);

	*ret_size = strlen(text) / 2;
	assert_true(cx_hex_read(text, made, *ret_size));
	return made;
}

static void check_row(const json_t *row)
{
	size_t key_size, size, tag_size;
	CX_AUTO_FREE uint8_t *key = bytes(row, "key", &key_size);
	CX_AUTO_FREE uint8_t *message = bytes(row, "msg", &size);
	CX_AUTO_FREE uint8_t *tag = bytes(row, "tag", &tag_size);
	struct cx_mac_key made;
	struct cx_mac mac, given = { { 0 } };
	bool valid = strcmp(cx_json_text(row, "result"), "valid") == 0;

	cx_mac_key_make(key, key_size, &made);
	cx_mac_of(&made, message, size, &mac);
	memcpy(given.byte, tag, tag_size);
	memset(mac.byte + tag_size, 0, sizeof mac.byte - tag_size);
	assert_int_equal(cx_mac_same(&mac, &given), valid);
	cx_mac_key_done(&made);
}

static void wycheproof(void **state)
{
	size_t size, group, i, count = 0;
	CX_AUTO_FREE char *text = corpus_load(
		"test/data/wycheproof/hmac_sha256_test.json", &size);
	CX_AUTO_JSON json_t *file = NULL;
	const json_t *one, *test;
	struct cx_err err;

	(void)state;
	assert_int_equal(cx_json_parse(text, size, "x", &file, &err), 0);
	json_array_foreach(json_object_get(file, "testGroups"), group, one)
		json_array_foreach(json_object_get(one, "tests"), i, test) {
			check_row(test);
			count++;
		}
	assert_int_equal(count, 174);
}

/* RFC 4231, test cases 2 and 6 (a key longer than a block). */
static void rfc4231(void **state)
{
	static const char long_text[] =
		"Test Using Larger Than Block-Size Key - Hash Key First";
	uint8_t long_key[131];
	struct cx_mac_key key;
	struct cx_mac mac;
	char text[65];

	(void)state;
	cx_mac_key_make("Jefe", 4, &key);
	cx_mac_of(&key, "what do ya want for nothing?", 28, &mac);
	cx_hex_write(mac.byte, 32, text);
	assert_string_equal(text, "5bdcc146bf60754e6a042426089575c7"
	                    "5a003f089d2739839dec58b964ec3843");
	memset(long_key, 0xaa, sizeof long_key);
	cx_mac_key_make(long_key, sizeof long_key, &key);
	cx_mac_of(&key, long_text, sizeof long_text - 1, &mac);
	cx_hex_write(mac.byte, 32, text);
	assert_string_equal(text, "60e431591ee0b67f0d8a26aacbf5b77f"
	                    "8e0bc6213728c5140546040f0ee37f54");
}

/* HKDF with an empty salt, a secret and a key of 32 bytes: Wycheproof's
 * hkdf_sha256_test, test 76. */
static void derive(void **state)
{
	uint8_t secret[32], info[21] = { 0 }, key[32];
	char text[65];

	(void)state;
	assert_true(cx_hex_read("3ee1fc0d8fac49d494c4a1b8cf6bf290"
	                        "a4a2c19a27c3ab1914d0d21c841577e0", secret,
	                        32));
	assert_true(cx_hex_read("4dc991623624fadef207587e42776cf3e0fdf4e5",
	                        info, 20));
	cx_mac_derive(secret, (const char *)info, key);
	cx_hex_write(key, 32, text);
	assert_string_equal(text, "f41f703259063d401de67cea9192038d"
	                    "dddc71ede5cdb383aad71894c1a39e8c");
}

/* PASETO's own examples. */
static void pae(void **state)
{
	static const struct cx_mac_part one[] = { { "test", 4 } };
	static const struct cx_mac_part none[] = { { "", 0 } };
	CX_AUTO_BUF struct cx_buf text = { 0 };

	(void)state;
	cx_mac_pae(NULL, 0, &text);
	assert_int_equal(text.size, 8);
	assert_memory_equal(text.data, "\0\0\0\0\0\0\0\0", 8);
	cx_buf_clear(&text);
	cx_mac_pae(none, 1, &text);
	assert_int_equal(text.size, 16);
	assert_memory_equal(text.data, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	cx_buf_clear(&text);
	cx_mac_pae(one, 1, &text);
	assert_int_equal(text.size, 20);
	assert_memory_equal(text.data,
	                    "\1\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0test", 20);
}

static void differences(void **state)
{
	struct cx_mac a = { { 0 } }, b = { { 0 } };

	(void)state;
	assert_true(cx_mac_same(&a, &b));
	for (size_t i = 0; i < 256; i++) {
		b = a;
		b.byte[i / 8] ^= (uint8_t)(1U << i % 8);
		assert_false(cx_mac_same(&a, &b));
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(wycheproof),
		cmocka_unit_test(rfc4231),
		cmocka_unit_test(derive),
		cmocka_unit_test(pae),
		cmocka_unit_test(differences),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
