/*
 * readiness.h - may the plane be used: disabled (not opted in), unavailable
 * (opted in, but no provenance key or no completed round trip), or ready.
 *
 * Never on anybody's word: each answer is a round trip through a real
 * sandbox, made now or within the last 30 seconds under the same conditions.
 * Of many processes that ask at once one makes it and the others wait.
 */
#ifndef CX_RUN_READINESS_H
#define CX_RUN_READINESS_H

#include <stdbool.h>

#include "data/json.h"
#include "data/shape.h"
#include "model/binding.h"
#include "run/broker.h"
#include "run/roundtrip.h"

struct cx_readiness_answer {
	enum cx_readiness state;
	struct cx_err disabled;      /* why it is, when it is; else code 0 */
	char kid[CX_RING_KID_MAX];   /* of the provenance key; "": none */
	struct cx_err keyless;       /* why there is none */
	bool tripped;                /* trip tells of a round trip */
	bool memoized;               /* which was made before */
	struct cx_roundtrip trip;
};

/* What ready prints. */
extern const struct cx_shape cx_readiness_shape;

/* Judges; makes a round trip unless one is remembered and fresh is false. A
 * plane that is disabled is left alone. -1: it can't even be asked. */
int cx_readiness_judge(struct cx_broker *broker, bool fresh,
                       struct cx_readiness_answer *ret, struct cx_err *err);

/* The document of an answer; owned. */
json_t *cx_readiness_write(const struct cx_readiness_answer *answer);

/* The same question from within a command's own way: what isn't remembered is
 * asked of a cx-run of its own, so that no key of ours is in memory when a
 * sandbox is made. */
int cx_readiness_ask(struct cx_broker *broker, enum cx_readiness *ret,
                     struct cx_err *err);

/* For what gives execution to others (serve, mcp): CX_E_EXECUTION_DISABLED,
 * with what to set, unless the rollout is exactly "on". */
int cx_readiness_admit(const struct cx_config *config, struct cx_err *err);

#endif
