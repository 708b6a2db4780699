/*
 * wall.h - a workspace's quota as a wall: what is written over it fails with
 * ENOSPC or EDQUOT, whatever hides it from a measurement.
 *
 * Four ways (limits.workspace_wall). project: the file system's project
 * quota. image: a file system of its own in a file (store/disk.h). tmpfs: in
 * memory, for a workspace that goes with its command. measure: no wall, but
 * whoever is over it is ended. auto is project where the file system offers
 * it, else measure.
 */
#ifndef CX_STORE_WALL_H
#define CX_STORE_WALL_H

#include "model/quota.h"
#include "store/state.h"
#include "store/volume.h"

/*
 * Raises the wall of quota around volume, which from then on leads to what is
 * behind it. *ret_held: it stands, or none was asked for. One that can't be
 * raised is CX_E_QUOTA_UNENFORCEABLE, unless best effort will do.
 */
int cx_wall_raise(const struct cx_state *state, const struct cx_quota *quota,
                  struct cx_volume *volume, bool *ret_held,
                  struct cx_err *err);

#endif
