/* carrier.c - see carrier.h. */
#include "plane/carrier.h"

#include "base/b64.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "base/promise.h"
#include "base/str.h"
#include "data/canon.h"
#include "model/narrow.h"

static const char *const use_text[] = {
	[CX_CARRIER_EXECUTE] = "execute",
	[CX_CARRIER_READ] = "read",
	[CX_CARRIER_PROBE] = "probe",
};

const char *cx_carrier_use_text(enum cx_carrier_use use)
{
	return use < CX_COUNT(use_text) ? use_text[use] : "";
}

void cx_carrier_free(struct cx_carrier *carrier)
{
	cx_caveat_done(&carrier->caveats);
	free(carrier->counter);
	*carrier = (struct cx_carrier){ .counter_count = 0 };
}

/* What opening works on: the parts, and what they turn out to say. */
struct opening {
	struct cx_sealer *sealer;
	const struct cx_envelope *envelope;
	int64_t now;
	bool unknown_caveat;
	struct cx_carrier *carrier;
};

/* kid: only the key that it names is ever tried. */
static int find_key(const struct opening *opening,
                    const struct cx_mac_key **ret, struct cx_err *err)
{
	const struct cx_ring *ring = &opening->sealer->cache->ring;
	const struct cx_ring_entry *entry;
	bool bounded;

	if (cx_sealer_ready(opening->sealer, err) < 0)
		return -1;
	entry = cx_ring_find(ring, opening->envelope->kid);
	bounded = entry && (entry->not_before != INT64_MIN ||
	                    entry->not_after != INT64_MAX);
	if (bounded && cx_clock_check(opening->now, err) < 0)
		return -1;
	if (!entry || !CX_PROMISE(key_usable,
	                          cx_ring_verifies(entry, CX_RING_SESSION,
	                                           opening->now)))
		return cx_err_set(err, CX_E_CARRIER_UNKNOWN_KEY,
		                  "no key of this instance may open the "
		                  "carrier; mint a new one");
	return cx_sealer_key(opening->sealer, entry, ret, err);
}

static const char *bytes_of(const struct opening *opening,
                            struct cx_envelope_part part)
{
	return opening->envelope->bytes + part.at;
}

/*
 * A caveat that isn't one of ours: authentic, since a holder may add what it
 * likes. Canonical {type: value} is a caveat that we don't understand; all
 * else is no caveat.
 */
static int take_unknown(struct opening *opening, const char *bytes,
                        size_t size, struct cx_err *err)
{
	CX_AUTO_JSON json_t *value = NULL;

	if (cx_json_parse(bytes, size, "caveat", &value, err) < 0 ||
	    !json_is_object(value) || json_object_size(value) != 1 ||
	    !cx_canon_is(bytes, size, value))
		return cx_err_set(err, CX_E_CARRIER_BAD_CLAIMS,
		                  "a caveat of the carrier isn't canonical "
		                  "JSON of one member; mint a new one");
	opening->unknown_caveat = true;
	return 0;
}

static int read_caveat(struct opening *opening, struct cx_envelope_part part,
                       const struct cx_mac *mac, struct cx_err *err)
{
	struct cx_carrier *carrier = opening->carrier;
	const char *bytes = bytes_of(opening, part);
	const struct cx_caveat *caveat;

	if (!cx_caveat_read(bytes, part.size, &carrier->caveats))
		return take_unknown(opening, bytes, part.size, err);
	caveat = &carrier->caveats.item[carrier->caveats.count - 1];
	if (caveat->type == CX_CAVEAT_COMMANDS) {
		carrier->counter = cx_mem_grow(carrier->counter,
		                               carrier->counter_count + 1,
		                               sizeof *carrier->counter);
		carrier->counter[carrier->counter_count++] =
			(struct cx_counter){ *mac, caveat->number };
	}
	return 0;
}

/* The chain over all parts must end in the MAC that came with them. */
static int verify(const struct opening *opening, struct cx_mac *ret_mac,
                  struct cx_err *err)
{
	const struct cx_envelope *envelope = opening->envelope;
	const struct cx_mac_key *key;

	if (find_key(opening, &key, err) < 0)
		return -1;
	cx_envelope_begin(key, envelope->kid,
	                  bytes_of(opening, envelope->claims),
	                  envelope->claims.size, &ret_mac[0]);
	for (size_t i = 0; i < envelope->caveat_count; i++)
		cx_envelope_chain(&ret_mac[i],
		                  bytes_of(opening, envelope->caveat[i]),
		                  envelope->caveat[i].size, &ret_mac[i + 1]);
	if (!CX_PROMISE(mac_matches,
	                cx_mac_same(&ret_mac[envelope->caveat_count],
	                            &envelope->mac)))
		return cx_err_set(err, CX_E_CARRIER_BAD_SIGNATURE,
		                  "the carrier's MAC doesn't match; it was "
		                  "altered, or another instance minted it");
	return 0;
}

static int read_parts(struct opening *opening, const struct cx_mac *mac,
                      struct cx_err *err)
{
	const struct cx_envelope *envelope = opening->envelope;
	const struct cx_config *config = opening->sealer->config;

	for (size_t i = 0; i < envelope->caveat_count; i++)
		if (read_caveat(opening, envelope->caveat[i], &mac[i + 1],
		                err) < 0)
			return -1;
	memcpy(opening->carrier->kid, envelope->kid, sizeof envelope->kid);
	return cx_claims_read(bytes_of(opening, envelope->claims),
	                      envelope->claims.size, config->seal_max_ttl,
	                      &opening->carrier->claims, err);
}

static int judge_time(const struct opening *opening, struct cx_err *err)
{
	const struct cx_claims *claims = &opening->carrier->claims;
	const int64_t skew = opening->sealer->config->seal_skew;
	int64_t end = cx_narrow_expires(&opening->carrier->caveats);

	if (cx_clock_check(opening->now, err) < 0)
		return -1;
	if (!CX_PROMISE(not_early, claims->iat <= opening->now + skew))
		return cx_err_set(err, CX_E_CARRIER_NOT_YET_VALID,
		                  "the carrier was issued in the future of "
		                  "this clock; compare the clocks of the two "
		                  "machines");
	if (!CX_PROMISE(not_expired, opening->now < claims->exp + skew))
		return cx_err_set(err, CX_E_CARRIER_EXPIRED,
		                  "the carrier's time is over; mint a new one");
	if (!CX_PROMISE(caveat_expires, opening->now < end))
		return cx_err_set(err, CX_E_CARRIER_EXPIRED,
		                  "the time that the carrier was narrowed to "
		                  "is over; mint a new one");
	return 0;
}

static int judge_audience(struct opening *opening, enum cx_carrier_use use,
                          struct cx_err *err)
{
	const char *instance, *aud = opening->carrier->claims.aud;
	bool ours;

	if (cx_sealer_instance(opening->sealer, &instance, err) < 0)
		return -1;
	ours = cx_str_starts(aud, instance) &&
	       aud[strlen(instance)] == '/' &&
	       cx_str_same(aud + strlen(instance) + 1,
	                   cx_carrier_use_text(use)) &&
	       (use != CX_CARRIER_PROBE ||
	        cx_session_is_reserved(&opening->carrier->claims.session));
	if (!CX_PROMISE(audience_ours, ours))
		return cx_err_set(err, CX_E_CARRIER_WRONG_AUDIENCE,
		                  "the carrier is for another instance, or for "
		                  "another use than %s; mint one for it here",
		                  cx_carrier_use_text(use));
	opening->carrier->use = use;
	return 0;
}

static int judge_caveats(const struct opening *opening, struct cx_err *err)
{
	const struct cx_carrier *carrier = opening->carrier;

	if (!CX_PROMISE(caveat_known, !opening->unknown_caveat))
		return cx_err_set(err, CX_E_CAVEAT_REFUSED,
		                  "the carrier holds a caveat that isn't "
		                  "understood here, so it can't be kept");
	if (!CX_PROMISE(caveat_surface,
	                cx_narrow_admits_surface(
				&carrier->caveats,
				carrier->claims.session.surface)))
		return cx_err_set(err, CX_E_CAVEAT_REFUSED,
		                  "the carrier was narrowed to another surface "
		                  "than its session's");
	return 0;
}

static int judge_revocation(const struct opening *opening, struct cx_err *err)
{
	struct cx_sealer *sealer = opening->sealer;
	bool revoked;

	if (cx_revocation_has(sealer->state, &sealer->cache->revocation,
	                      opening->carrier->claims.jti, &revoked, err) < 0)
		return -1;
	if (!CX_PROMISE(carrier_unrevoked, !revoked))
		return cx_err_set(err, CX_E_CARRIER_REVOKED,
		                  "the carrier was revoked; mint a new one");
	return 0;
}

static int judge(struct opening *opening, enum cx_carrier_use use,
                 struct cx_err *err)
{
	if (judge_time(opening, err) < 0 ||
	    judge_audience(opening, use, err) < 0 ||
	    judge_caveats(opening, err) < 0)
		return -1;
	return judge_revocation(opening, err);
}

static int verify_and_read(struct opening *opening, struct cx_err *err)
{
	CX_AUTO_FREE struct cx_mac *mac =
		cx_mem_array(opening->envelope->caveat_count + 1, sizeof *mac);

	if (verify(opening, mac, err) < 0)
		return -1;
	return read_parts(opening, mac, err);
}

int cx_carrier_open(struct cx_sealer *sealer, const char *text, size_t length,
                    int64_t now, enum cx_carrier_mode mode,
                    enum cx_carrier_use use, struct cx_carrier *ret,
                    struct cx_err *err)
{
	CX_AUTO_CARRIER struct cx_carrier carrier = { .counter_count = 0 };
	struct cx_envelope *envelope = &cx_sealer_cache(sealer)->envelope;
	struct opening opening = {
		.sealer = sealer, .envelope = envelope, .now = now,
		.carrier = &carrier,
	};

	if (cx_envelope_read(text, length, envelope, err) < 0 ||
	    verify_and_read(&opening, err) < 0 ||
	    judge(&opening, use, err) < 0)
		return -1;
	if (mode == CX_CARRIER_SPEND
	    ? cx_carrier_spend(sealer, &carrier, now, err) < 0
	    : cx_counter_check(sealer->db, carrier.counter,
	                       carrier.counter_count, err) < 0)
		return -1;
	*ret = carrier;
	carrier = (struct cx_carrier){ .counter_count = 0 };
	return 0;
}

int cx_carrier_spend(struct cx_sealer *sealer,
                     const struct cx_carrier *carrier, int64_t now,
                     struct cx_err *err)
{
	return cx_counter_spend(sealer->db, carrier->counter,
	                        carrier->counter_count,
	                        carrier->claims.exp + CX_CARRIER_SKEW_MAX_S,
	                        now, err);
}

int cx_carrier_revoke(struct cx_sealer *sealer, const char *jti, int64_t now,
                      struct cx_err *err)
{
	enum { LONG_S = 400 * 86400 }; /* for a max_ttl that was longer once */

	if (!cx_claims_is_jti(jti))
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "a jti is 1 to 64 of A-Z a-z 0-9 _ -, as in "
		                  "the carrier's claims");
	return cx_revocation_add(sealer->db, jti, now,
	                         sealer->config->seal_max_ttl + LONG_S, err);
}
