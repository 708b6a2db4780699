/*
 * claims.h - what a carrier says, and nothing besides.
 *
 * Canonical JSON with exactly aud, exp, iat, jti, orgId, runId (where the
 * session has one), surface, userId. Bytes that aren't that are no claims.
 */
#ifndef CX_MODEL_CLAIMS_H
#define CX_MODEL_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/session.h"

enum {
	CX_CLAIMS_AUD_MAX = 129, /* bytes with the NUL */
	CX_CLAIMS_JTI_MAX = 65,
};

struct cx_claims {
	struct cx_session session;
	char aud[CX_CLAIMS_AUD_MAX]; /* "<instance>/<use>" */
	char jti[CX_CLAIMS_JTI_MAX]; /* [A-Za-z0-9_-]{1,64} */
	int64_t iat, exp;            /* seconds since 1970; exp is exclusive */
};

/* Reads bytes. exp must come after iat, by max_ttl_s at most. Every fault is
 * CX_E_CARRIER_BAD_CLAIMS. aud is only a text here. */
int cx_claims_read(const char *bytes, size_t size, int64_t max_ttl_s,
                   struct cx_claims *ret, struct cx_err *err);

void cx_claims_write(const struct cx_claims *claims, struct cx_buf *ret);

/* [A-Za-z0-9_-]{1,64} */
bool cx_claims_is_jti(const char *text);

#endif
