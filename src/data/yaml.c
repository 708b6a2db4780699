/* yaml.c - see yaml.h. */
#include "data/yaml.h"

#include "data/load.h"
#include "data/screen.h"

static int parse(const char *text, size_t size, const char *what,
                 enum cx_yaml_mode mode, json_t *faults, json_t **ret_value,
                 struct cx_err *err)
{
	if (size > CX_JSON_DOCUMENT_MAX_BYTES)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "%.200s: YAML over %d bytes", what,
		                  CX_JSON_DOCUMENT_MAX_BYTES);
	if (cx_screen_text(text, size, what, err) < 0)
		return -1;
	return cx_load_text(text, size, what, mode, faults, ret_value, err);
}

int cx_yaml_parse(const char *text, size_t size, const char *what,
                  enum cx_yaml_mode mode, json_t **ret_value,
                  struct cx_err *err)
{
	return parse(text, size, what, mode, NULL, ret_value, err);
}

int cx_yaml_declaration(const char *text, size_t size, const char *what,
                        json_t *faults, json_t **ret_value,
                        struct cx_err *err)
{
	return parse(text, size, what, CX_YAML_DECLARATION, faults, ret_value,
	             err);
}

int cx_yaml_parse_any(const char *text, size_t size, const char *what,
                      json_t **ret_value, struct cx_err *err)
{
	size_t at = 0;

	while (at < size && memchr(" \t\r\n", text[at], 4))
		at++;
	if (at == size || text[at] == '{' || text[at] == '[')
		return cx_json_parse(text, size, what, ret_value, err);
	return cx_yaml_parse(text, size, what, CX_YAML_DOCUMENT, ret_value,
	                     err);
}

/* At at stands marker, with or without more behind it. At the very end of the
 * text it may be the beginning of a longer word, and counts as none. */
static bool is_marker(const char *text, size_t size, size_t at,
                      const char *marker)
{
	return size - at > 3 && memcmp(text + at, marker, 3) == 0 &&
	       memchr(" \t\r\n", text[at + 3], 4);
}

/* Behind the lines before a document: blank, comments, directives. */
static size_t head_end(const char *text, size_t size)
{
	size_t at = 0, from;

	for (;;) {
		from = at;
		while (from < size && memchr(" \t", text[from], 2))
			from++;
		if (from == size || (!memchr("#\r\n", text[from], 3) &&
		                     text[at] != '%'))
			return at;
		at = cx_screen_line_end(text, size, from);
	}
}

size_t cx_yaml_document_end(const char *text, size_t size)
{
	size_t at = head_end(text, size);

	if (is_marker(text, size, at, "---"))
		at = cx_screen_line_end(text, size, at);
	while (at < size && !is_marker(text, size, at, "---"))
		at = cx_screen_line_end(text, size, at);
	return at;
}

bool cx_yaml_is_empty(const char *text, size_t size)
{
	size_t at = cx_screen_blank_end(text, size, 0);

	while (is_marker(text, size, at, "---") ||
	       is_marker(text, size, at, "..."))
		at = cx_screen_blank_end(text, size, at + 3);
	return at == size;
}
