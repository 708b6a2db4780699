/* str.h - small questions about text. */
#ifndef CX_BASE_STR_H
#define CX_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ASCII's, whatever the locale. */
static inline bool cx_str_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool cx_str_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline char cx_str_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool cx_str_same(const char *a, const char *b);
bool cx_str_starts(const char *text, const char *prefix);
bool cx_str_ends(const char *text, const char *suffix);

/* Every byte of text is one of set, and there is at least one. */
bool cx_str_only(const char *text, const char *set);

/* Bytes of the UTF-8 character at data (1..4), 0 when invalid or cut short.
 * Refuses overlong forms, surrogates and what lies beyond U+10FFFF. */
size_t cx_str_utf8(const char *data, size_t size);

/* Bytes at the end of data that begin a character and don't end it (0..3). */
size_t cx_str_utf8_cut(const char *data, size_t size);

/* The code point of the valid UTF-8 character of length bytes at at. */
uint32_t cx_str_code(const char *at, size_t length);

/* Valid UTF-8 throughout; *ret_at, when not NULL, gets the first bad byte. */
bool cx_str_utf8_all(const char *data, size_t size, size_t *ret_at);

/* The UTF-8 character of length bytes at at is a C0 or C1 control, DEL, a
 * bidirectional control, or a line or paragraph separator; so is what isn't
 * UTF-8 (length 0). */
bool cx_str_is_control(const char *at, size_t length);

/* Holds such a character. */
bool cx_str_has_control(const char *text);

#endif
