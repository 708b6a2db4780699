/*
 * yaml.c - the YAML reader: what it takes can be written as JSON, a text that
 * is JSON as well has one meaning, a declaration is never laxer, and the
 * pieces of a stream make up the whole.
 */
#include "base/mem.h"
#include "base/str.h"
#include "data/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void check_pieces(const char *text, size_t size)
{
	size_t at = 0, length;

	while (at < size) {
		length = cx_yaml_document_end(text + at, size - at);
		demand(length <= size - at);
		if (length == 0)
			break;
		at += length;
	}
}

/* Texts only: what a declaration takes is the same in both modes. */
static void check_declaration(const char *text, size_t size,
                              const json_t *document)
{
	CX_AUTO_JSON json_t *strict = NULL, *listed = NULL;
	CX_AUTO_JSON json_t *faults = json_array();
	struct cx_err err;

	if (cx_yaml_parse(text, size, "x", CX_YAML_DECLARATION, &strict, &err)
	    == 0)
		demand(document && json_equal(strict, document));
	if (cx_yaml_declaration(text, size, "x", faults, &listed, &err) == 0)
		demand((strict != NULL) == (json_array_size(faults) == 0));
	else
		demand(strict == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CX_AUTO_FREE char *text = cx_mem_copy(data, size);
	CX_AUTO_JSON json_t *value = NULL, *json = NULL, *again = NULL;
	CX_AUTO_BUF struct cx_buf out = { 0 };
	struct cx_err err;

	check_pieces(text, size);
	if (cx_yaml_parse(text, size, "x", CX_YAML_DOCUMENT, &value, &err) < 0) {
		demand(err.code == CX_E_INPUT_INVALID);
		demand(cx_str_starts(err.text, "x: line "));
		demand(cx_str_utf8_all(err.pointer, strlen(err.pointer), NULL));
	} else {
		cx_json_write(value, &out);
		demand(cx_json_parse(out.data, out.size, "x", &again, &err) ==
		       0);
	}
	check_declaration(text, size, value);
	if (value && cx_json_parse(text, size, "x", &json, &err) == 0)
		demand(json_equal(value, json));
	return 0;
}
