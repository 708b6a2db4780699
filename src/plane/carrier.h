/*
 * carrier.h - a session as a sealed text: minting, narrowing, opening.
 *
 *	cxs1.<kid>.<claims>[~<caveat>...].<mac>
 *
 * each part base64url without padding, at most 4096 bytes in all. claims and
 * caveats are canonical JSON. k = HKDF-SHA-256(key file, info "cx session v1");
 * m0 = HMAC(k, PAE(["cxs1", kid, claims])), m(i) = HMAC(m(i-1),
 * PAE([caveat i])); the last m is the mac. So it is checked over bytes before
 * anything is parsed, and a holder can add caveats but take none away.
 *
 * Order of checks: length, alphabet, version, grammar, kid, MAC, parse, claims,
 * time, audience, caveats, revocation, replay.
 */
#ifndef CX_PLANE_CARRIER_H
#define CX_PLANE_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "data/mac.h"
#include "model/caveat.h"
#include "model/session.h"
#include "plane/ring.h"
#include "store/db.h"
#include "store/state.h"

struct cx_config;

enum {
	CX_CARRIER_MAX_BYTES = 4096,
	CX_CARRIER_JTI_MAX = 65,
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

/*
 * Keys, rules and counters, loaded when first needed and kept for the next
 * carrier of a stream. The ring is looked at again for each carrier, so a key
 * that was retired meanwhile opens nothing. All but state, config and db is
 * private. db may be shared with the caller's other work.
 */
struct cx_sealer {
	const struct cx_state *state;   /* borrowed */
	const struct cx_config *config; /* borrowed */
	struct cx_db *db;               /* borrowed */
	struct cx_sealer_cache *cache;  /* owned; NULL until first used */
};

/* Wipes the keys. */
void cx_carrier_done(struct cx_sealer *sealer);
#define CX_AUTO_SEALER __attribute__((cleanup(cx_carrier_done)))

/* A carrier that was opened. Free with cx_carrier_free. */
struct cx_carrier {
	struct cx_session session;
	struct cx_caveats caveats;    /* egress, hosts, image and skills are the
	                                 caller's to enforce; the others were */
	int64_t issued, expires;      /* expires: exp or an earlier caveat */
	char jti[CX_CARRIER_JTI_MAX];
	char kid[CX_RING_KID_MAX];
	enum cx_carrier_use use;
	struct cx_mac *counter;       /* of each commands caveat, in order;
	                                 owned */
	int64_t exp;                  /* of the claims */
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

/* What mint is asked for. */
struct cx_carrier_order {
	const struct cx_session *session;
	enum cx_carrier_use use;
	int64_t ttl_s;                   /* 1 to seal.max_ttl */
	const struct cx_caveats *caveats; /* NULL for none */
};

/*
 * Appends a new carrier to *ret. Makes the first key of the instance when
 * there is none; *ret_made then is its kid, else "". *ret_expires is exp or an
 * earlier expires caveat.
 */
int cx_carrier_mint(struct cx_sealer *sealer,
                    const struct cx_carrier_order *order, int64_t now,
                    struct cx_buf *ret, int64_t *ret_expires,
                    char ret_made[CX_RING_KID_MAX], struct cx_err *err);

/* Appends text narrowed by caveats to *ret. Needs no key: the text is judged
 * up to its grammar, and the caveats only against their own. */
int cx_carrier_attenuate(const char *text, size_t length,
                         const struct cx_caveats *caveats, struct cx_buf *ret,
                         struct cx_err *err);

/* From now on a carrier with this jti is CX_E_CARRIER_REVOKED. Durable. */
int cx_carrier_revoke(struct cx_sealer *sealer, const char *jti, int64_t now,
                      struct cx_err *err);

/* "execute", "read", "probe". */
const char *cx_carrier_use_text(enum cx_carrier_use use);

#endif
