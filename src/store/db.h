/*
 * db.h - cx.db: the one SQLite file of a state folder.
 *
 * A struct cx_db costs nothing until its first statement: the file is opened
 * (0600, WAL, synchronous FULL, so that what was committed survives power
 * loss) and migrated then. Another process that holds it for more than
 * CX_DB_WAIT_MS is CX_E_STORE_BUSY. A full disk is CX_E_STORE_FULL.
 *
 *	struct cx_db db = { .state = &state };
 *	CX_AUTO_STMT struct cx_stmt row = { 0 };
 *
 *	cx_db_begin(&db, err)
 *	cx_db_run(&db, err, "UPDATE jobs SET n = n + 1 WHERE id = ?", "s", id)
 *	cx_db_query(&db, &row, err, "SELECT n FROM jobs WHERE id = ?", "s", id)
 *	while ((got = cx_db_next(&row, err)) > 0)
 *		... cx_db_number(&row, 0) ...
 *	cx_db_commit(&db, err)
 *
 * bind is one letter for each argument: s const char * (NULL binds NULL),
 * i int64_t (cast what isn't), b const void * and size_t.
 */
#ifndef CX_STORE_DB_H
#define CX_STORE_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/state.h"

enum { CX_DB_WAIT_MS = 10000 };

struct cx_db {
	const struct cx_state *state; /* borrowed */
	void *handle;                 /* sqlite3, NULL until first used */
	bool inside;                  /* a transaction is open */
};

struct cx_stmt { void *handle; /* sqlite3_stmt */ };

/* Opens and migrates now. Every function below does so by itself. */
int cx_db_open(struct cx_db *db, struct cx_err *err);

/* Whether cx.db is there at all: reading need not make it. */
bool cx_db_exists(const struct cx_state *state);

/* Rolls an open transaction back and closes. */
void cx_db_done(struct cx_db *db);
#define CX_AUTO_DB __attribute__((cleanup(cx_db_done)))

/* BEGIN IMMEDIATE: the write lock is held from here on. */
int cx_db_begin(struct cx_db *db, struct cx_err *err);
/* Durable when it returns 0; on failure the transaction is rolled back. */
int cx_db_commit(struct cx_db *db, struct cx_err *err);
void cx_db_rollback(struct cx_db *db);

/* A statement without rows. */
int cx_db_run(struct cx_db *db, struct cx_err *err, const char *sql,
              const char *bind, ...);
/* Rows changed by the last one. */
int64_t cx_db_changes(const struct cx_db *db);

/* A statement with rows; read with cx_db_next: 1 a row, 0 no more, -1. */
int cx_db_query(struct cx_db *db, struct cx_stmt *ret, struct cx_err *err,
                const char *sql, const char *bind, ...);
int cx_db_next(struct cx_stmt *stmt, struct cx_err *err);
const char *cx_db_text(const struct cx_stmt *stmt, int column); /* or NULL */
int64_t cx_db_number(const struct cx_stmt *stmt, int column);
const void *cx_db_bytes(const struct cx_stmt *stmt, int column,
                        size_t *ret_size);
void cx_db_finish(struct cx_stmt *stmt);
#define CX_AUTO_STMT __attribute__((cleanup(cx_db_finish)))

/* The one number that a query gives; fallback when there is no row. */
int cx_db_count(struct cx_db *db, struct cx_err *err, int64_t fallback,
                int64_t *ret, const char *sql, const char *bind, ...);

#endif
