/*
 * outer.h - a host uid that nobody else has, for as long as a session runs.
 *
 * Sandboxes under one uid would share pipe pages, pending signals and the
 * user keyring. The uids come from uid_range, or, when that isn't set, from
 * a range outside of every entry of /etc/subuid; which of them are taken is
 * told by leases in run/uids.
 */
#ifndef CX_RUN_OUTER_H
#define CX_RUN_OUTER_H

#include <sys/types.h>

#include "base/err.h"
#include "plane/config.h"
#include "store/state.h"

/* *ret_lease holds the uid. Only for a process that may map uids. */
int cx_outer_take(const struct cx_state *state, const struct cx_config *config,
                  uid_t *ret_uid, int *ret_lease, struct cx_err *err);

#endif
