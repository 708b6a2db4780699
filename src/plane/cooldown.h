/*
 * cooldown.h - repeated refusals are counted for a while, not recorded.
 *
 * Table cooldown of cx.db: key, when one was recorded last (0: its record
 * couldn't be written), and how many came since. A key is made of the
 * organization, actor, run, surface and reason, and of nothing else.
 */
#ifndef CX_PLANE_COOLDOWN_H
#define CX_PLANE_COOLDOWN_H

#include "model/event.h"
#include "store/db.h"

enum { CX_COOLDOWN_S = 60 };

/*
 * May this denied event be written at now (seconds)? Then its key cools from
 * here on, and *ret_suppressed is how many were kept out since the last one.
 * Else it is counted.
 */
int cx_cooldown_pass(struct cx_db *db, const struct cx_event *event,
                     int64_t now, bool *ret_pass, uint64_t *ret_suppressed,
                     struct cx_err *err);

/* The event that passed couldn't be written: its key doesn't cool, and the
 * count stands as it was. */
int cx_cooldown_undo(struct cx_db *db, const struct cx_event *event,
                     uint64_t suppressed, struct cx_err *err);

#endif
