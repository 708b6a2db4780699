/*
 * address.h - where a workspace stands: volumes/ws/<org>/<key>.
 *
 * <org> is a digest of the organization's id; <key> names the run ("r-" and a
 * digest), the name that a person gave it ("n-" and a digest) or the job (its
 * own id). Never a text from outside, and never the same for two
 * organizations.
 */
#ifndef CX_STORE_ADDRESS_H
#define CX_STORE_ADDRESS_H

#include <stdbool.h>

#include "base/err.h"
#include "store/state.h"

enum {
	CX_ADDRESS_KEY_MAX = 67,  /* bytes with the NUL */
	CX_ADDRESS_NAME_MAX = 64, /* the same, of a name */
};

/* What a workspace is keyed on; exactly one of run_id, job_id, name is set. */
struct cx_volume_owner {
	const char *org_id;
	const char *user_id;  /* who makes it; not a part of the key */
	const char *run_id;   /* or NULL */
	const char *job_id;   /* or NULL */
	const char *name;     /* or NULL */
};

/* 1 to 63 of a-z, 0-9, ".", "_" and "-", of which the first is a letter or a
 * digit. */
bool cx_address_is_name(const char *name);

/* A job id or a name outside of its grammar: CX_E_UNSAFE_VOLUME_NAME. */
int cx_address_key(const struct cx_volume_owner *owner,
                   char ret_key[CX_ADDRESS_KEY_MAX], struct cx_err *err);

/* Opens volumes/ws/<org>; *ret_fd is -1 when it isn't there and make is
 * false. */
int cx_address_org(const struct cx_state *state, const char *org_id, bool make,
                   int *ret_fd, struct cx_err *err);

#endif
