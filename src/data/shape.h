/*
 * shape.h - what a JSON object may hold, as a table.
 *
 * One table checks a value (closed objects, types, bounds, words), prints its
 * JSON Schema (draft 2020-12) for --schema and share/schema, and fills the
 * DOCUMENT section of a man page. So the three can't differ.
 */
#ifndef CX_DATA_SHAPE_H
#define CX_DATA_SHAPE_H

#include "data/json.h"

enum cx_shape_kind {
	CX_SHAPE_TEXT,   /* min, max: bytes; word: the only values; pattern */
	CX_SHAPE_NUMBER, /* whole; min, max */
	CX_SHAPE_REAL,   /* number, whole or not; min, max */
	CX_SHAPE_BOOL,
	CX_SHAPE_OBJECT, /* sub: its members; closed unless open */
	CX_SHAPE_LIST,   /* sub: one entry, the element; min, max: count */
	CX_SHAPE_MAP,    /* sub: one entry, each value; keys are free */
	CX_SHAPE_ANY,
};

struct cx_shape {
	const char *name;            /* member name; NULL ends a table */
	enum cx_shape_kind kind;
	const char *about;           /* one sentence */
	bool required;
	bool nullable;
	bool open;                   /* object: other members pass */
	long long min, max;          /* both 0: no bound */
	const char *const *word;     /* NULL-ended list */
	bool (*fits)(const char *);  /* text, and each name of a map: further
	                                test, NULL for none */
	const char *pattern;         /* the same as a regular expression, for
	                                the schema; NULL for none */
	const struct cx_shape *sub;
};

/* value against shape; the first fault as code with its JSON pointer below
 * pointer ("" for the root). Messages say what would be right. */
int cx_shape_check(const struct cx_shape *shape, const json_t *value,
                   const char *pointer, enum cx_class code,
                   struct cx_err *err);

/* The JSON Schema of shape, owned by the caller. */
json_t *cx_shape_schema(const struct cx_shape *shape, const char *title);

#endif
