/*
 * counter.h - how often a carrier was spent, in cx.db.
 *
 * A commands caveat counts under its own MAC in the chain, so that carriers
 * narrowed from one another share what they must and siblings don't spend each
 * other's. Counting is one immediate transaction, durable before it is
 * believed: whatever races or dies, no count is given twice.
 */
#ifndef CX_PLANE_COUNTER_H
#define CX_PLANE_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "data/mac.h"
#include "store/db.h"

struct cx_counter {
	struct cx_mac mac;  /* m(i) of the caveat */
	int64_t limit;      /* its value */
};

/* Is there something left of each? CX_E_CARRIER_REPLAYED where a limit of one
 * is spent, CX_E_CAVEAT_REFUSED where another is. Counts nothing. */
int cx_counter_check(struct cx_db *db, const struct cx_counter *counter,
                     size_t count, struct cx_err *err);

/* Spends one of each, or none. The counts are kept until keep_until. */
int cx_counter_spend(struct cx_db *db, const struct cx_counter *counter,
                     size_t count, int64_t keep_until, int64_t now,
                     struct cx_err *err);

#endif
