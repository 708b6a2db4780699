/* db.c - see db.h. */
#include "store/db.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "store/migration.h"

static const char NAME[] = "cx.db";

static int fail(sqlite3 *handle, struct cx_err *err)
{
	int code = handle ? sqlite3_errcode(handle) & 0xff : SQLITE_NOMEM;
	enum cx_class class = CX_E_IO_ERROR;

	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return cx_err_set(err, CX_E_STORE_BUSY,
		                  "another process holds cx.db; try again");
	if (code == SQLITE_FULL)
		class = CX_E_STORE_FULL;
	return cx_err_set(err, class, "cx.db: %s",
	                  handle ? sqlite3_errmsg(handle) : "out of memory");
}

static int execute(sqlite3 *handle, const char *sql, struct cx_err *err)
{
	if (sqlite3_exec(handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		return fail(handle, err);
	return 0;
}

static int version(sqlite3 *handle, int *ret, struct cx_err *err)
{
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(handle, "PRAGMA user_version", -1, &stmt,
	                       NULL) != SQLITE_OK)
		return fail(handle, err);
	if (sqlite3_step(stmt) != SQLITE_ROW) {
		sqlite3_finalize(stmt);
		return fail(handle, err);
	}
	*ret = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	return 0;
}

static int step_to(sqlite3 *handle, int number, struct cx_err *err)
{
	char mark[48];

	snprintf(mark, sizeof mark, "PRAGMA user_version = %d", number + 1);
	if (execute(handle, cx_migration_step(number), err) < 0)
		return -1;
	return execute(handle, mark, err);
}

/* All steps in one transaction; another process may have been faster. */
static int migrate(sqlite3 *handle, struct cx_err *err)
{
	int have = 0;

	if (version(handle, &have, err) < 0)
		return -1;
	if (have > cx_migration_steps())
		return cx_err_set(err, CX_E_IO_ERROR,
		                  "cx.db was written by a newer cx (step %d, "
		                  "this one knows %d); upgrade", have,
		                  cx_migration_steps());
	if (have == cx_migration_steps())
		return 0;
	if (execute(handle, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (version(handle, &have, err) < 0)
		return -1;
	for (int at = have; at < cx_migration_steps(); at++)
		if (step_to(handle, at, err) < 0)
			return -1;
	return execute(handle, "COMMIT", err);
}

static int prepare(sqlite3 *handle, struct cx_err *err)
{
	sqlite3_busy_timeout(handle, CX_DB_WAIT_MS);
	sqlite3_extended_result_codes(handle, 0);
	/* a checkpoint at each end would cost a short command two flushes */
	sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	if (execute(handle, "PRAGMA journal_mode = WAL;"
	                    "PRAGMA synchronous = FULL;"
	                    "PRAGMA foreign_keys = ON", err) < 0)
		return -1;
	return migrate(handle, err);
}

/*
 * SQLite takes its files' mode from umask, and must open the file itself: a
 * descriptor of ours that is closed would drop the locks of another
 * connection in this process.
 */
static int open_file(const char *path, sqlite3 **ret, struct cx_err *err)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
	            SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
	mode_t before = umask(0077);
	int code = sqlite3_open_v2(path, ret, flags, NULL);

	umask(before);
	return code == SQLITE_OK ? 0 : fail(*ret, err);
}

/* The first to come turns WAL on, which meets no busy handler. */
static int prepare_soon(sqlite3 *handle, struct cx_err *err)
{
	const struct timespec pause = { 0, 5000000 };
	int64_t end = cx_clock_mono_us() + INT64_C(1000) * CX_DB_WAIT_MS;
	int result;

	for (;;) {
		result = prepare(handle, err);
		if (result == 0 || err->code != CX_E_STORE_BUSY ||
		    cx_clock_mono_us() > end)
			return result;
		sqlite3_exec(handle, "ROLLBACK", NULL, NULL, NULL);
		nanosleep(&pause, NULL);
	}
}

int cx_db_open(struct cx_db *db, struct cx_err *err)
{
	char path[PATH_MAX + sizeof NAME + 1];
	sqlite3 *handle = NULL;

	if (db->handle)
		return 0;
	snprintf(path, sizeof path, "%s/%s", db->state->path, NAME);
	if (open_file(path, &handle, err) < 0 ||
	    prepare_soon(handle, err) < 0) {
		sqlite3_close_v2(handle);
		return -1;
	}
	db->handle = handle;
	return 0;
}

bool cx_db_exists(const struct cx_state *state)
{
	struct stat found;

	return fstatat(state->fd, NAME, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

void cx_db_done(struct cx_db *db)
{
	cx_db_rollback(db);
	sqlite3_close_v2(db->handle);
	db->handle = NULL;
}

int cx_db_begin(struct cx_db *db, struct cx_err *err)
{
	if (cx_db_open(db, err) < 0 ||
	    execute(db->handle, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	db->inside = true;
	return 0;
}

int cx_db_commit(struct cx_db *db, struct cx_err *err)
{
	if (execute(db->handle, "COMMIT", err) < 0) {
		cx_db_rollback(db);
		return -1;
	}
	db->inside = false;
	return 0;
}

void cx_db_rollback(struct cx_db *db)
{
	if (db->inside)
		sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
	db->inside = false;
}

static int bind_one(sqlite3_stmt *stmt, int at, char kind, va_list *arg)
{
	const char *text;
	const void *bytes;

	switch (kind) {
	case 's':
		text = va_arg(*arg, const char *);
		return sqlite3_bind_text(stmt, at, text, -1, SQLITE_TRANSIENT);
	case 'i':
		return sqlite3_bind_int64(stmt, at, va_arg(*arg, int64_t));
	case 'b':
		bytes = va_arg(*arg, const void *);
		return sqlite3_bind_blob64(stmt, at, bytes,
		                           va_arg(*arg, size_t),
		                           SQLITE_TRANSIENT);
	}
	return SQLITE_MISUSE;
}

static int prepare_bound(struct cx_db *db, struct cx_err *err,
                         const char *sql, const char *bind, va_list *arg,
                         sqlite3_stmt **ret)
{
	sqlite3_stmt *stmt;

	if (cx_db_open(db, err) < 0)
		return -1;
	if (sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) != SQLITE_OK)
		return fail(db->handle, err);
	for (int at = 0; bind[at]; at++)
		if (bind_one(stmt, at + 1, bind[at], arg) != SQLITE_OK) {
			fail(db->handle, err);
			sqlite3_finalize(stmt);
			return -1;
		}
	*ret = stmt;
	return 0;
}

int cx_db_run(struct cx_db *db, struct cx_err *err, const char *sql,
              const char *bind, ...)
{
	sqlite3_stmt *stmt;
	va_list arg;
	int result;

	va_start(arg, bind);
	result = prepare_bound(db, err, sql, bind, &arg, &stmt);
	va_end(arg);
	if (result < 0)
		return -1;
	if (sqlite3_step(stmt) != SQLITE_DONE)
		result = fail(db->handle, err);
	sqlite3_finalize(stmt);
	return result;
}

int64_t cx_db_changes(const struct cx_db *db)
{
	return sqlite3_changes64(db->handle);
}

int cx_db_query(struct cx_db *db, struct cx_stmt *ret, struct cx_err *err,
                const char *sql, const char *bind, ...)
{
	sqlite3_stmt *stmt;
	va_list arg;
	int result;

	va_start(arg, bind);
	result = prepare_bound(db, err, sql, bind, &arg, &stmt);
	va_end(arg);
	if (result == 0)
		ret->handle = stmt;
	return result;
}

int cx_db_next(struct cx_stmt *stmt, struct cx_err *err)
{
	int code = sqlite3_step(stmt->handle);

	if (code == SQLITE_ROW)
		return 1;
	if (code == SQLITE_DONE)
		return 0;
	return fail(sqlite3_db_handle(stmt->handle), err);
}

const char *cx_db_text(const struct cx_stmt *stmt, int column)
{
	return (const char *)sqlite3_column_text(stmt->handle, column);
}

int64_t cx_db_number(const struct cx_stmt *stmt, int column)
{
	return sqlite3_column_int64(stmt->handle, column);
}

const void *cx_db_bytes(const struct cx_stmt *stmt, int column,
                        size_t *ret_size)
{
	const void *bytes = sqlite3_column_blob(stmt->handle, column);

	*ret_size = (size_t)sqlite3_column_bytes(stmt->handle, column);
	return bytes;
}

void cx_db_finish(struct cx_stmt *stmt)
{
	sqlite3_finalize(stmt->handle);
	stmt->handle = NULL;
}

int cx_db_count(struct cx_db *db, struct cx_err *err, int64_t fallback,
                int64_t *ret, const char *sql, const char *bind, ...)
{
	CX_AUTO_STMT struct cx_stmt row = { NULL };
	sqlite3_stmt *stmt = NULL;
	va_list arg;
	int result;

	va_start(arg, bind);
	result = prepare_bound(db, err, sql, bind, &arg, &stmt);
	va_end(arg);
	if (result < 0)
		return -1;
	row.handle = stmt;
	result = cx_db_next(&row, err);
	if (result < 0)
		return -1;
	*ret = result ? cx_db_number(&row, 0) : fallback;
	return 0;
}
