/*
 * revocation.h - which carriers were revoked, by their jti.
 *
 * cx.db holds the ids and when they came; keys/revoked, one sorted id a line,
 * is what opening reads, so that it needs no database. Both change in one
 * transaction.
 */
#ifndef CX_PLANE_REVOCATION_H
#define CX_PLANE_REVOCATION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/db.h"
#include "store/state.h"

/* keys/revoked as it was read last. All but fd zero, and fd -1, is unread. */
struct cx_revocation {
	int fd;
	struct stat seen;
	struct cx_buf text;
};

#define CX_REVOCATION_NONE ((struct cx_revocation){ .fd = -1 })

void cx_revocation_done(struct cx_revocation *revocation);

/* Is jti revoked? Reads keys/revoked again when it has changed. */
int cx_revocation_has(const struct cx_state *state,
                      struct cx_revocation *revocation, const char *jti,
                      bool *ret, struct cx_err *err);

/* Revokes jti; durable when it returns 0. Ids that were revoked more than
 * keep_s seconds ago, which no carrier alive can have, are dropped. */
int cx_revocation_add(struct cx_db *db, const char *jti, int64_t now,
                      int64_t keep_s, struct cx_err *err);

#endif
