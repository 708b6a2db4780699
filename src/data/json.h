/*
 * json.h - bounded, fail-closed JSON over jansson.
 *
 * Refused: invalid UTF-8, a byte-order mark, NUL (raw or as \u0000), lone
 * surrogates, duplicate keys, trailing bytes, nesting over 64, more bytes than
 * the caller's cap, whole numbers beyond 2^63, reals that overflow, and more
 * than 2^20 objects and lists (one takes two bytes of text and 230 of memory).
 * Each error is input_invalid, names line and column, and carries a JSON
 * pointer.
 */
#ifndef CX_DATA_JSON_H
#define CX_DATA_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum {
	CX_JSON_DEPTH_MAX = 64,
	CX_JSON_CONTAINERS_MAX = 1 << 20,
	CX_JSON_DOCUMENT_MAX_BYTES = 16 * 1024 * 1024,
	CX_JSON_CATALOG_MAX_BYTES = 256 * 1024 * 1024,
};

/* Once, before the first value: jansson's memory comes from base/mem (so that
 * running out of it ends the tool, and no NULL is a value), and its hashes are
 * seeded from getrandom(2) without opening a device. */
void cx_json_start(void);

void cx_json_free_at(json_t **value);
#define CX_AUTO_JSON __attribute__((cleanup(cx_json_free_at)))

/* Parses exactly one value. what names the input in messages ("standard
 * input", a file). Any JSON value may stand at the top. */
int cx_json_parse(const char *text, size_t size, const char *what,
                  json_t **ret_value, struct cx_err *err);

/* Appends value as one compact line without the newline: members in order,
 * reals in shortest round-trip form, no escape but what JSON demands. */
void cx_json_write(const json_t *value, struct cx_buf *ret);

/* The same, indented by two spaces; colour wraps keys and strings in SGR
 * codes, and C0, C1, DEL and bidirectional controls come as \u escapes. */
void cx_json_pretty(const json_t *value, bool colour, struct cx_buf *ret);

/* Writes value to fd as one of them, with a newline behind it; more than
 * 64 KiB at a time never stand in memory. 0 or -1, errno. */
int cx_json_pour(const json_t *value, bool pretty, bool colour, int fd);

/* Appends text as a JSON string with its quotes, as cx_json_write would. */
void cx_json_string(const char *text, size_t size, struct cx_buf *ret);

/* One reference token of a JSON pointer, escaped (~0, ~1), appended. */
void cx_json_token(struct cx_buf *pointer, const char *name);

/* Plain getters; NULL, fallback when absent or of another type. */
const char *cx_json_text(const json_t *object, const char *name);
int64_t cx_json_number(const json_t *object, const char *name,
                       int64_t fallback);
bool cx_json_is_true(const json_t *object, const char *name);

/* A text that may hold any bytes: NUL, and each byte that isn't part of valid
 * UTF-8, becomes U+FFFD. */
json_t *cx_json_repaired(const char *data, size_t size);

/* A member name of any bytes, repaired; where they aren't UTF-8, or hold NUL,
 * the bytes as they are in name and "Base64" as well, so that none is lost. */
void cx_json_set_bytes(json_t *object, const char *name, const char *data,
                       size_t size);

#endif
