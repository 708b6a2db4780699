/*
 * yaml.h - YAML 1.2 core schema into the same values as JSON.
 *
 * Over libyaml's events, with our caps checked while events come (depth 64,
 * bytes, flow nesting by a scan before libyaml sees the text, since libyaml
 * is quadratic in it). Anchors, aliases, tags, merge keys, duplicate keys, a
 * byte-order mark, NUL and a second document are errors which name line,
 * column and JSON pointer.
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

/* JSON when the first byte that isn't white space is { or [ or ", else YAML.
 * A JSON text is never handed to libyaml. */
int cx_yaml_parse_any(const char *text, size_t size, const char *what,
                      json_t **ret_value, struct cx_err *err);

/* The length of the first document of a multi-document text: up to and with
 * the line "---" that ends it (or all). For --stream. */
size_t cx_yaml_document_end(const char *text, size_t size);

#endif
