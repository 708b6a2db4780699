/*
 * zone.h - the answers of a resolver, told beforehand: for decide, and for
 * tests.
 *
 * {NAME: {A: [...], AAAA: [...], CNAME: NAME, error: CODE, sequence: [[...]],
 * ttl: N}}. What isn't there doesn't exist (NXDOMAIN).
 */
#ifndef CX_GATEWAY_ZONE_H
#define CX_GATEWAY_ZONE_H

#include "data/shape.h"
#include "model/decide.h"

enum {
	CX_ZONE_ANSWERS_MAX = 256,
	CX_ZONE_ALIASES_MAX = 8,
};

/* What a name has; and the member dns of a document, for its table. */
extern const struct cx_shape cx_zone_record;
#define CX_ZONE_MEMBER \
	{ .name = "dns", .kind = CX_SHAPE_MAP, .sub = &cx_zone_record, \
	  .about = "What the resolver would say; a name that isn't there " \
	           "doesn't exist. Without it a name that isn't refused " \
	           "before it is looked up gets the decision resolve." }

struct cx_answers {
	size_t count;
	struct cx_addr addr[CX_ZONE_ANSWERS_MAX];
	bool foreign; /* one is no address, or finds no room: all are refused */
};

/* name is lower case, without a final dot. *turn counts lookups: it picks the
 * member of a sequence, the last one from then on. */
enum cx_lookup cx_zone_find(const json_t *zone, const char *name, size_t *turn,
                            struct cx_answers *ret);

#endif
