/*
 * roundtrip.h - one whole way through the plane: a carrier under the reserved
 * identity cx:probe, which no tenant can be given, a job, and a command in a
 * real sandbox over the base, whose right output nobody can know beforehand.
 *
 * The command is recorded as every command is. The operator's hooks aren't
 * asked: it is no tenant's, and always the same.
 */
#ifndef CX_RUN_ROUNDTRIP_H
#define CX_RUN_ROUNDTRIP_H

#include <stdint.h>

#include "data/digest.h"
#include "plane/registry.h"
#include "run/broker.h"

enum { CX_ROUNDTRIP_WALL_MS = 10000, CX_ROUNDTRIP_WHY_MAX = 768 };

struct cx_roundtrip {
	int64_t at_ms;           /* time of day when it began */
	enum cx_class fault;     /* CX_E_NONE: it was completed */
	char why[CX_ROUNDTRIP_WHY_MAX];           /* for a person */
	char job_id[CX_REGISTRY_ID_MAX];          /* "" when it didn't run */
	char image_digest[CX_DIGEST_TEXT];        /* likewise */
	int64_t wall_ms;                          /* -1, likewise */
	int signal;              /* that cancelled it; 0 for none */
};

/* Exited, 0, exactly the output: anything else is a fault in *ret. */
void cx_roundtrip_make(struct cx_broker *broker, struct cx_roundtrip *ret);

#endif
