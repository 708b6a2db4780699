/*
 * yaml.h - YAML 1.2 core schema into the same values as JSON.
 *
 * Over libyaml's events, with our caps checked while they come: libyaml is
 * quadratic in the depth of brackets, but never reads further than 1,024
 * characters ahead of its events, so that ending at depth 64 ends that. What
 * it is quadratic in before its first event (directives) is refused by
 * data/screen.h. Anchors, aliases, tags, merge keys, keys that aren't text or
 * stand twice, a byte-order mark, NUL, more than 16 MiB or 2^20 objects and
 * lists, and a second document (which libyaml drops in silence) are errors
 * which name line, column and JSON pointer.
 */
#ifndef CX_DATA_YAML_H
#define CX_DATA_YAML_H

#include <stdbool.h>

#include "data/json.h"

enum cx_yaml_mode {
	CX_YAML_DOCUMENT,    /* plain scalars by the 1.2 core schema */
	CX_YAML_DECLARATION, /* a plain scalar that 1.1 or 1.2 reads as anything
	                        but text is refused with "quote it" */
};

int cx_yaml_parse(const char *text, size_t size, const char *what,
                  enum cx_yaml_mode mode, json_t **ret_value,
                  struct cx_err *err);

/* In declaration mode, going on after doubtful scalars: each becomes null and
 * adds {pointer, message} to the list faults, so that a checker can report all
 * that is wrong at once. The value is good only if nothing was added. */
int cx_yaml_declaration(const char *text, size_t size, const char *what,
                        json_t *faults, json_t **ret_value,
                        struct cx_err *err);

/* JSON when the first byte that isn't white space is { or [, else YAML. Such a
 * text is never handed to libyaml. */
int cx_yaml_parse_any(const char *text, size_t size, const char *what,
                      json_t **ret_value, struct cx_err *err);

/* The length of the first document of a stream: up to the line "---" that
 * begins the next one, or all. A "---" before the document belongs to it. */
size_t cx_yaml_document_end(const char *text, size_t size);

/* Nothing but blanks, comments and the lines "---" and "...". */
bool cx_yaml_is_empty(const char *text, size_t size);

#endif
