/*
 * carrier.h - a session as a sealed text, and opening it.
 *
 *	cxs1.<kid>.<claims>[~<caveat>...].<mac>
 *
 * each part base64url without padding, at most 4096 bytes in all. claims and
 * caveats are canonical JSON. k = HKDF-SHA-256(key file, info "cx session v1");
 * m0 = HMAC(k, PAE(["cxs1", kid, claims])), m(i) = HMAC(m(i-1),
 * PAE([caveat i])); the last m is the mac. So it is checked over bytes before
 * anything is parsed, and a holder can add caveats but take none away.
 * plane/minting.h makes carriers.
 *
 * Order of checks: length, alphabet, version, grammar, kid, MAC, parse, claims,
 * time, audience, caveats, revocation, replay.
 */
#ifndef CX_PLANE_CARRIER_H
#define CX_PLANE_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/caveat.h"
#include "model/claims.h"
#include "plane/counter.h"
#include "plane/sealer.h"

enum {
	CX_CARRIER_SKEW_MAX_S = 60,
};

/* What a carrier is for; the second half of its aud. */
enum cx_carrier_use {
	CX_CARRIER_EXECUTE, /* "execute" */
	CX_CARRIER_READ,    /* "read": cx-audit read, cx-stage read */
	CX_CARRIER_PROBE,   /* "probe": readiness; orgId begins with "cx:" */
};

/* CHECK looks at counters without counting; SPEND counts, durably. */
enum cx_carrier_mode { CX_CARRIER_CHECK, CX_CARRIER_SPEND };

/* A carrier that was opened. Free with cx_carrier_free. */
struct cx_carrier {
	struct cx_claims claims;      /* claims.session is who it is for */
	struct cx_caveats caveats;    /* egress, hosts, image and skills are the
	                                 caller's to enforce (model/narrow.h);
	                                 the others hold */
	char kid[CX_RING_KID_MAX];
	enum cx_carrier_use use;
	struct cx_counter *counter;   /* of each commands caveat; owned */
	size_t counter_count;
};

void cx_carrier_free(struct cx_carrier *carrier);
#define CX_AUTO_CARRIER __attribute__((cleanup(cx_carrier_free)))

/*
 * Opens text for use at now (seconds since 1970; a clock before the build date
 * is CX_E_CLOCK_UNUSABLE, in its place in the order). On failure nothing of
 * the carrier may be believed, and *ret is untouched.
 */
int cx_carrier_open(struct cx_sealer *sealer, const char *text, size_t length,
                    int64_t now, enum cx_carrier_mode mode,
                    enum cx_carrier_use use, struct cx_carrier *ret,
                    struct cx_err *err);

/* Counts a carrier that was opened with CHECK: durable when it returns 0.
 * CX_E_CARRIER_REPLAYED, CX_E_CAVEAT_REFUSED when it was spent meanwhile. A
 * carrier without commands caveats costs nothing. */
int cx_carrier_spend(struct cx_sealer *sealer,
                     const struct cx_carrier *carrier, int64_t now,
                     struct cx_err *err);

/* From now on a carrier with this jti is CX_E_CARRIER_REVOKED. Durable. */
int cx_carrier_revoke(struct cx_sealer *sealer, const char *jti, int64_t now,
                      struct cx_err *err);

/* "execute", "read", "probe". */
const char *cx_carrier_use_text(enum cx_carrier_use use);

#endif
