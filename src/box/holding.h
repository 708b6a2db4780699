/*
 * holding.h - whether a quota can be held here: asked before anything is made,
 * and again of the group before anything runs in it.
 */
#ifndef CX_BOX_HOLDING_H
#define CX_BOX_HOLDING_H

#include "base/err.h"
#include "model/quota.h"

/*
 * 0 when the groups that hold the limits in group_holds (of enum cx_limit) and
 * the kernel's own count of processes do for quota, or it said by name that
 * best effort will; else CX_E_QUOTA_UNENFORCEABLE with the remedies.
 * *ret_holds, when not NULL, gets what holds in all, either way.
 */
int cx_holding_require(const struct cx_quota *quota, unsigned group_holds,
                       unsigned *ret_holds, struct cx_err *err);

#endif
