/*
 * recipe.h - share/l0/<name>.yaml: how a base image is made.
 */
#ifndef CX_BUILD_RECIPE_H
#define CX_BUILD_RECIPE_H

#include "data/digest.h"
#include "data/json.h"
#include "data/shape.h"

enum cx_recipe_from { CX_RECIPE_DEBIAN, CX_RECIPE_BUSYBOX };

struct cx_recipe {
	json_t *document;          /* owned; what follows points into it */
	const char *name;
	enum cx_recipe_from from;
	const char *suite;         /* debian: "trixie" */
	const char *variant;       /* of mmdebstrap; "apt" */
	const json_t *components;  /* NULL: main */
	const json_t *packages;    /* NULL: none */
	const json_t *exclude;     /* path patterns of dpkg; NULL: none */
	const char *npm_version;   /* NULL: no npm */
	const char *npm_integrity; /* "sha512-..." */
	int64_t epoch;             /* SOURCE_DATE_EPOCH */
	struct cx_digest key;      /* of the canonical document, the platform
	                              and the builder's version */
};

extern const struct cx_shape cx_recipe_shape;

/* Reads the recipe of a file (YAML or JSON). Faults are declaration_invalid
 * with a pointer; a missing file is exit 66. */
int cx_recipe_load(const char *path, struct cx_recipe *ret,
                   struct cx_err *err);

/* The path of a recipe that is shipped: beside the tool (../share/l0 in a
 * source tree, ../share/cx/l0 when installed). Owned. */
char *cx_recipe_shipped(const char *name);

/* The same for a program beside the recipes, "npm-registry". */
char *cx_recipe_program(const char *name);

void cx_recipe_done(struct cx_recipe *recipe);
#define CX_AUTO_RECIPE __attribute__((cleanup(cx_recipe_done)))

#endif
