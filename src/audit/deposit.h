/*
 * deposit.h - taking records in from documents, for cx-audit append.
 */
#ifndef CX_AUDIT_DEPOSIT_H
#define CX_AUDIT_DEPOSIT_H

#include "data/shape.h"
#include "plane/record.h"

/* {index, duplicate?, suppressed?}: what is said of a record taken in. */
extern const struct cx_shape cx_deposit_shape;

struct cx_deposit {
	struct cx_record_sink *sink; /* borrowed */
	const char *key;             /* NULL: a random one for each */
	bool many;                   /* then the keys are "key/1", "key/2"… */
	uint64_t count;              /* documents so far; starts at 0 */
};

/*
 * One document: an event, in place of which doc then holds what became of it.
 * context is the struct cx_deposit. On failure doc is left empty, so that
 * nothing of a refused record is repeated.
 */
int cx_deposit_take(json_t *doc, void *context, struct cx_err *err);

#endif
