/* plain.h - what a plain (unquoted) YAML scalar means. */
#ifndef CX_DATA_PLAIN_H
#define CX_DATA_PLAIN_H

#include <jansson.h>
#include <stdbool.h>

/*
 * By the YAML 1.2 core schema. text is NUL-terminated. NULL where JSON can't
 * hold the value; then *ret_wrong says why.
 */
json_t *cx_plain_value(const char *text, const char **ret_wrong);

/* By 1.2 it is a text. */
bool cx_plain_is_text(const char *text);

/* By 1.2 and by 1.1 with its yes, 0b1, 1_000, 12:30:45, 2026-11-30, << and =
 * it is a text. */
bool cx_plain_is_surely_text(const char *text);

#endif
