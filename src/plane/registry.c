/* registry.c - see registry.h. */
#include "plane/registry.h"

#include "base/promise.h"
#include "base/rand.h"
#include "base/str.h"

static const char *const state_text[] = {
	[CX_REGISTRY_LIVE] = "live",
	[CX_REGISTRY_ENDED] = "ended",
	[CX_REGISTRY_OVER_QUOTA] = "over_quota",
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";

/* A state that isn't one of ours is no live one. */
static enum cx_registry_state find_state(const char *text)
{
	if (text && cx_str_same(text, "live"))
		return CX_REGISTRY_LIVE;
	if (text && cx_str_same(text, "over_quota"))
		return CX_REGISTRY_OVER_QUOTA;
	return CX_REGISTRY_ENDED;
}

int cx_registry_make_id(char ret_id[CX_REGISTRY_ID_MAX], struct cx_err *err)
{
	uint8_t random[CX_REGISTRY_ID_MAX - 3];

	if (cx_rand_fill(random, sizeof random, err) < 0)
		return -1;
	memcpy(ret_id, "j-", 2);
	for (size_t i = 0; i < sizeof random; i++)
		ret_id[2 + i] = letters[random[i] & 31];
	ret_id[CX_REGISTRY_ID_MAX - 1] = '\0';
	return 0;
}

bool cx_registry_is_id(const char *id)
{
	return strlen(id) == CX_REGISTRY_ID_MAX - 1 &&
	       cx_str_starts(id, "j-") && cx_str_only(id + 2, letters);
}

static void copy(const struct cx_stmt *row, int column, char *ret, size_t size)
{
	const char *text = cx_db_text(row, column);

	snprintf(ret, size, "%s", text ? text : "");
}

/* 1 the run's row, 0 there is none, -1. */
static int read_run(struct cx_db *db, const char *org_id, const char *run_id,
                    struct cx_run_row *ret, struct cx_err *err)
{
	CX_AUTO_STMT struct cx_stmt row = { 0 };
	int got;

	if (cx_db_query(db, &row, err,
	                "SELECT user_id, agent_id, posture, state,"
	                " package_posture, spec_digest <> '' FROM runs"
	                " WHERE org_id = ? AND run_id = ?",
	                "ss", org_id, run_id) < 0)
		return -1;
	got = cx_db_next(&row, err);
	if (got <= 0)
		return got;
	copy(&row, 0, ret->user_id, sizeof ret->user_id);
	copy(&row, 1, ret->agent_id, sizeof ret->agent_id);
	copy(&row, 2, ret->posture, sizeof ret->posture);
	ret->state = find_state(cx_db_text(&row, 3));
	copy(&row, 4, ret->package_posture, sizeof ret->package_posture);
	ret->pinned = cx_db_number(&row, 5) != 0;
	return 1;
}

/* The run of another organization with the same id: the owner diverged. */
static int is_elsewhere(struct cx_db *db, const struct cx_session *session,
                        bool *ret, struct cx_err *err)
{
	int64_t count = 0;

	if (cx_db_count(db, err, 0, &count,
	                "SELECT count(*) FROM runs WHERE run_id = ?"
	                " AND org_id <> ?",
	                "ss", session->run_id, session->org_id) < 0)
		return -1;
	*ret = count > 0;
	return 0;
}

static int judge_owner(const struct cx_session *session,
                       const struct cx_run_row *row, struct cx_err *err)
{
	if (CX_PROMISE(run_owner, cx_str_same(row->user_id,
	                                      session->user_id)))
		return 0;
	return cx_err_set(err, CX_E_RUN_OWNER_DIVERGED,
	                  "the run belongs to another user than the "
	                  "carrier's");
}

static int judge(const struct cx_session *session,
                 const struct cx_run_row *row, struct cx_err *err)
{
	if (judge_owner(session, row, err) < 0)
		return -1;
	if (row->state == CX_REGISTRY_OVER_QUOTA)
		return cx_err_set(err, CX_E_JOB_ENDED,
		                  "the run was ended by its disk quota");
	if (!CX_PROMISE(run_live, row->state == CX_REGISTRY_LIVE))
		return cx_err_set(err, CX_E_RUN_NOT_LIVE,
		                  "the run has ended");
	return 0;
}

int cx_registry_check_run(struct cx_db *db, const struct cx_session *session,
                          struct cx_run_row *ret, struct cx_err *err)
{
	struct cx_run_row row = { 0 };
	bool elsewhere = false;
	int got = 0;

	if (cx_db_exists(db->state))
		got = read_run(db, session->org_id, session->run_id, &row,
		               err);
	if (got > 0) {
		*ret = row;
		return judge(session, &row, err);
	}
	if (got < 0 || (cx_db_exists(db->state) &&
	                is_elsewhere(db, session, &elsewhere, err) < 0))
		return -1;
	if (elsewhere)
		return cx_err_set(err, CX_E_RUN_OWNER_DIVERGED,
		                  "the run belongs to another organization "
		                  "than the carrier's");
	if (!CX_PROMISE(run_row, got > 0))
		return cx_err_set(err, CX_E_RUN_NOT_LIVE,
		                  "there is no such run; make it live with: "
		                  "cx-run open");
	*ret = row;
	return 0;
}

int cx_registry_look_run(struct cx_db *db, const struct cx_session *session,
                         struct cx_run_row *ret, struct cx_err *err)
{
	struct cx_run_row row = { 0 };
	int got = 0;

	if (cx_db_exists(db->state))
		got = read_run(db, session->org_id, session->run_id, &row,
		               err);
	if (got <= 0)
		return got;
	*ret = row;
	return judge_owner(session, &row, err) < 0 ? -1 : 1;
}

/* Whoever opens a run again and says an agent means the one that it has. */
static int judge_again(const struct cx_session *session,
                       const struct cx_run_row *row, const char *agent,
                       struct cx_err *err)
{
	if (judge(session, row, err) < 0)
		return -1;
	if (!*agent || cx_str_same(agent, row->agent_id))
		return 0;
	return cx_err_set(err, CX_E_RUN_OWNER_DIVERGED,
	                  "the run was opened for another agent than --agent "
	                  "says, or for none");
}

int cx_registry_open_run(struct cx_db *db, const struct cx_session *session,
                         const char *agent, int64_t now, struct cx_err *err)
{
	struct cx_run_row row = { 0 };
	int got;

	agent = agent ? agent : "";
	if (cx_db_begin(db, err) < 0)
		return -1;
	got = read_run(db, session->org_id, session->run_id, &row, err);
	if (got == 0 && cx_db_run(db, err,
	                          "INSERT INTO runs (org_id, run_id, user_id,"
	                          " agent_id, state, opened_at)"
	                          " VALUES (?, ?, ?, ?, 'live', ?)",
	                          "ssssi", session->org_id, session->run_id,
	                          session->user_id, agent, now) < 0)
		got = -1;
	if (got != 0) {
		cx_db_rollback(db);
		return got < 0 ? -1 : judge_again(session, &row, agent, err);
	}
	return cx_db_commit(db, err);
}

int cx_registry_open_job(struct cx_db *db, const struct cx_session *session,
                         int64_t now, char ret_id[CX_REGISTRY_ID_MAX],
                         struct cx_err *err)
{
	if (cx_registry_make_id(ret_id, err) < 0)
		return -1;
	return cx_db_run(db, err,
	                 "INSERT INTO jobs (id, org_id, user_id, state,"
	                 " opened_at) VALUES (?, ?, ?, 'live', ?)",
	                 "sssi", ret_id, session->org_id, session->user_id,
	                 now);
}

/* 1 the job is session's own, 0 it isn't or there is none, -1. */
static int read_job(struct cx_db *db, const struct cx_session *session,
                    const char *id, enum cx_registry_state *ret,
                    struct cx_err *err)
{
	CX_AUTO_STMT struct cx_stmt row = { 0 };
	int got;

	if (!cx_db_exists(db->state))
		return 0;
	if (cx_db_query(db, &row, err,
	                "SELECT org_id, user_id, state FROM jobs WHERE id = ?",
	                "s", id) < 0)
		return -1;
	got = cx_db_next(&row, err);
	if (got <= 0)
		return got;
	*ret = find_state(cx_db_text(&row, 2));
	return CX_PROMISE(job_owner,
	                  cx_str_same(cx_db_text(&row, 0), session->org_id) &&
	                  cx_str_same(cx_db_text(&row, 1), session->user_id));
}

static int no_job(struct cx_err *err)
{
	return cx_err_set(err, CX_E_JOB_ENDED,
	                  "there is no such job of this organization and "
	                  "user; open one with: cx-run open");
}

int cx_registry_check_job(struct cx_db *db, const struct cx_session *session,
                          const char *id, struct cx_err *err)
{
	enum cx_registry_state state = CX_REGISTRY_ENDED;
	int got = read_job(db, session, id, &state, err);

	if (got < 0)
		return -1;
	if (got == 0)
		return no_job(err);
	if (state == CX_REGISTRY_OVER_QUOTA)
		return cx_err_set(err, CX_E_JOB_ENDED,
		                  "the job was ended by its disk quota; open "
		                  "another with: cx-run open");
	if (!CX_PROMISE(job_live, state == CX_REGISTRY_LIVE))
		return cx_err_set(err, CX_E_JOB_ENDED,
		                  "the job was closed; open another with: "
		                  "cx-run open");
	return 0;
}

int cx_registry_number_job(struct cx_db *db, const char *id, size_t count,
                           uint64_t *ret_first, struct cx_err *err)
{
	int64_t last = 0;

	if (cx_db_begin(db, err) < 0)
		return -1;
	if (cx_db_run(db, err, "UPDATE jobs SET commands = commands + ?"
	              " WHERE id = ?", "is", (int64_t)count, id) < 0 ||
	    cx_db_count(db, err, (int64_t)count, &last,
	                "SELECT commands FROM jobs WHERE id = ?", "s",
	                id) < 0) {
		cx_db_rollback(db);
		return -1;
	}
	*ret_first = (uint64_t)last - count + 1;
	return cx_db_commit(db, err);
}

/* An ended one stays as it is, so that ending again changes nothing. */
#define END_SET \
	" SET state = CASE state WHEN 'ended' THEN state ELSE ? END," \
	" ended_at = coalesce(ended_at, ?)"

int cx_registry_end_run(struct cx_db *db, const struct cx_session *session,
                        enum cx_registry_state state, int64_t now,
                        struct cx_err *err)
{
	struct cx_run_row row;

	if (cx_db_exists(db->state) &&
	    cx_db_run(db, err, "UPDATE runs" END_SET
	              " WHERE org_id = ? AND run_id = ? AND user_id = ?",
	              "sisss", state_text[state], now, session->org_id,
	              session->run_id, session->user_id) < 0)
		return -1;
	if (db->handle && cx_db_changes(db) > 0)
		return 0;
	return cx_registry_check_run(db, session, &row, err);
}

int cx_registry_end_job(struct cx_db *db, const struct cx_session *session,
                        const char *id, enum cx_registry_state state,
                        int64_t now, struct cx_err *err)
{
	if (!cx_db_exists(db->state))
		return no_job(err);
	if (cx_db_run(db, err, "UPDATE jobs" END_SET
	              " WHERE id = ? AND org_id = ? AND user_id = ?",
	              "sisss", state_text[state], now, id, session->org_id,
	              session->user_id) < 0)
		return -1;
	return cx_db_changes(db) > 0 ? 0 : no_job(err);
}

static int read_state(struct cx_stmt *row, enum cx_registry_state *ret,
                      struct cx_err *err)
{
	int got = cx_db_next(row, err);

	if (got > 0)
		*ret = find_state(cx_db_text(row, 0));
	return got;
}

int cx_registry_find_run(struct cx_db *db, const char *org_id,
                         const char *run_id, enum cx_registry_state *ret,
                         struct cx_err *err)
{
	CX_AUTO_STMT struct cx_stmt row = { 0 };

	if (cx_db_query(db, &row, err, "SELECT state FROM runs"
	                " WHERE org_id = ? AND run_id = ?", "ss", org_id,
	                run_id) < 0)
		return -1;
	return read_state(&row, ret, err);
}

int cx_registry_find_job(struct cx_db *db, const char *id,
                         enum cx_registry_state *ret, struct cx_err *err)
{
	CX_AUTO_STMT struct cx_stmt row = { 0 };

	if (cx_db_query(db, &row, err, "SELECT state FROM jobs WHERE id = ?",
	                "s", id) < 0)
		return -1;
	return read_state(&row, ret, err);
}
