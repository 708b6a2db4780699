/* cooldown.c - see cooldown.h. */
#include "plane/cooldown.h"

#include "base/buf.h"
#include "base/promise.h"

/* The ids hold no controls, so a line end can't be part of one. */
static void add_key(const struct cx_event *event, struct cx_buf *ret)
{
	const char *surface = cx_surface_text(event->surface);

	cx_buf_print(ret, "%s\n%s\n%s\n%s\n%s", event->org_id, event->user_id,
	             event->run_id ? event->run_id : "",
	             surface ? surface : "", cx_err_name(event->reason));
}

/* A clock that was set back mustn't keep a key cool for long. */
static bool is_cooling(int64_t recorded_at, int64_t now)
{
	return recorded_at <= now && recorded_at > now - CX_COOLDOWN_S;
}

static int set(struct cx_db *db, const struct cx_buf *key,
               int64_t recorded_at, uint64_t suppressed, struct cx_err *err)
{
	return cx_db_run(db, err,
	                 "INSERT OR REPLACE INTO cooldown "
	                 "(key, recorded_at, suppressed) VALUES (?, ?, ?)",
	                 "bii", key->data, key->size, recorded_at,
	                 (int64_t)suppressed);
}

/* Keys that nobody asks about again don't pile up. */
static int forget_old(struct cx_db *db, int64_t now, struct cx_err *err)
{
	return cx_db_run(db, err,
	                 "DELETE FROM cooldown "
	                 "WHERE recorded_at < ? AND suppressed = 0",
	                 "i", now - CX_COOLDOWN_S);
}

static int judge(struct cx_db *db, const struct cx_buf *key, int64_t now,
                 bool *ret_pass, uint64_t *ret_suppressed,
                 struct cx_err *err)
{
	CX_AUTO_STMT struct cx_stmt row = { 0 };
	int64_t recorded_at = INT64_MIN;
	int got;

	if (cx_db_query(db, &row, err,
	                "SELECT recorded_at, suppressed FROM cooldown "
	                "WHERE key = ?", "b", key->data, key->size) < 0)
		return -1;
	got = cx_db_next(&row, err);
	if (got < 0)
		return -1;
	*ret_suppressed = 0;
	if (got > 0) {
		recorded_at = cx_db_number(&row, 0);
		*ret_suppressed = (uint64_t)cx_db_number(&row, 1);
	}
	cx_db_finish(&row);
	*ret_pass = CX_PROMISE(denials_cool, !is_cooling(recorded_at, now));
	if (!*ret_pass)
		return set(db, key, recorded_at, *ret_suppressed + 1, err);
	if (forget_old(db, now, err) < 0)
		return -1;
	return set(db, key, now, 0, err);
}

int cx_cooldown_pass(struct cx_db *db, const struct cx_event *event,
                     int64_t now, bool *ret_pass, uint64_t *ret_suppressed,
                     struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf key = { 0 };

	add_key(event, &key);
	if (cx_db_begin(db, err) < 0)
		return -1;
	if (judge(db, &key, now, ret_pass, ret_suppressed, err) < 0) {
		cx_db_rollback(db);
		return -1;
	}
	return cx_db_commit(db, err);
}

int cx_cooldown_undo(struct cx_db *db, const struct cx_event *event,
                     uint64_t suppressed, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf key = { 0 };

	add_key(event, &key);
	return set(db, &key, 0, suppressed, err);
}
