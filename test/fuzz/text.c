/*
 * text.c - the text forms that stand for bytes and numbers: whatever a reader
 * takes, its writer gives back to the byte, so that there is one spelling.
 */
#include "base/b64.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "data/digest.h"
#include "data/plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void check_b64(enum cx_b64_form form, const char *text, size_t size)
{
	CX_AUTO_BUF struct cx_buf bytes = { 0 }, again = { 0 };

	if (cx_b64_read(form, text, size, &bytes)) {
		cx_b64_write(form, bytes.data, bytes.size, &again);
		demand(again.size == size && (size == 0 ||
		       memcmp(again.data, text, size) == 0));
	}
	cx_buf_clear(&bytes);
	cx_buf_clear(&again);
	cx_b64_write(form, text, size, &bytes);
	demand(cx_b64_read(form, bytes.data, bytes.size, &again));
	demand(again.size == size &&
	       (size == 0 || memcmp(again.data, text, size) == 0));
}

static void check_digest(const char *text)
{
	struct cx_digest digest;
	char again[CX_DIGEST_TEXT];

	if (!cx_digest_parse(text, &digest))
		return;
	cx_digest_text(&digest, again);
	demand(cx_str_same(again, text));
}

static void check_number(const char *text)
{
	uint64_t number;
	char again[24];

	if (!cx_num_parse(text, 0, UINT64_MAX, &number))
		return;
	snprintf(again, sizeof again, "%lu", (unsigned long)number);
	demand(cx_str_same(again, text));
}

/* Surely text by both versions of YAML is text by the newer. */
static void check_plain(const char *text)
{
	const char *wrong = NULL;
	json_t *value;

	if (!cx_str_utf8_all(text, strlen(text), NULL))
		return;
	value = cx_plain_value(text, &wrong);
	demand((value == NULL) == (wrong != NULL));
	demand(cx_plain_is_text(text) == (value && json_is_string(value)));
	demand(!cx_plain_is_surely_text(text) || cx_plain_is_text(text));
	json_decref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CX_AUTO_FREE char *text = cx_mem_copy(data, size);

	check_b64(CX_B64_URL, text, size);
	check_b64(CX_B64_PADDED, text, size);
	check_digest(text);
	check_number(text);
	check_plain(text);
	return 0;
}
