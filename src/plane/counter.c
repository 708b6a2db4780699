/* counter.c - see counter.h. */
#include "plane/counter.h"

#include "base/promise.h"

/*
 * A clock that jumped ahead must not make counts be forgotten that are needed
 * when it is set right.
 */
enum { FORGET_AFTER_S = 30 * 86400 };

static int refuse(const struct cx_counter *counter, struct cx_err *err)
{
	if (counter->limit == 1)
		return cx_err_set(err, CX_E_CARRIER_REPLAYED,
		                  "the one-time carrier was spent before; "
		                  "mint a new one");
	return cx_err_set(err, CX_E_CAVEAT_REFUSED,
	                  "the carrier's %lld commands are spent; mint a new "
	                  "one", (long long)counter->limit);
}

static int look(struct cx_db *db, const struct cx_counter *counter,
                struct cx_err *err)
{
	int64_t spent;

	if (cx_db_count(db, err, 0, &spent,
	                "SELECT count FROM spent WHERE mac = ?", "b",
	                (const void *)counter->mac.byte,
	                sizeof counter->mac.byte) < 0)
		return -1;
	if (!CX_PROMISE(carrier_unspent, spent < counter->limit))
		return refuse(counter, err);
	return 0;
}

int cx_counter_check(struct cx_db *db, const struct cx_counter *counter,
                     size_t count, struct cx_err *err)
{
	if (count == 0 || !cx_db_exists(db->state))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (look(db, &counter[i], err) < 0)
			return -1;
	return 0;
}

static int spend(struct cx_db *db, const struct cx_counter *counter,
                 int64_t keep_until, struct cx_err *err)
{
	if (look(db, counter, err) < 0)
		return -1;
	return cx_db_run(db, err,
	                 "INSERT INTO spent VALUES (?, 1, ?) ON CONFLICT (mac) "
	                 "DO UPDATE SET count = count + 1, expires_at = "
	                 "max(expires_at, excluded.expires_at)", "bi",
	                 (const void *)counter->mac.byte,
	                 sizeof counter->mac.byte, keep_until);
}

static int spend_all(struct cx_db *db, const struct cx_counter *counter,
                     size_t count, int64_t keep_until, int64_t now,
                     struct cx_err *err)
{
	for (size_t i = 0; i < count; i++)
		if (spend(db, &counter[i], keep_until, err) < 0)
			return -1;
	return cx_db_run(db, err, "DELETE FROM spent WHERE expires_at < ?",
	                 "i", now - FORGET_AFTER_S);
}

int cx_counter_spend(struct cx_db *db, const struct cx_counter *counter,
                     size_t count, int64_t keep_until, int64_t now,
                     struct cx_err *err)
{
	if (count == 0)
		return 0;
	/* most losers of a race are told without waiting for the lock */
	if (cx_counter_check(db, counter, count, err) < 0 ||
	    cx_db_begin(db, err) < 0)
		return -1;
	if (spend_all(db, counter, count, keep_until, now, err) < 0) {
		cx_db_rollback(db);
		return -1;
	}
	return cx_db_commit(db, err);
}
