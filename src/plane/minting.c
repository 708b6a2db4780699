/* minting.c - see minting.h. */
#include "plane/minting.h"

#include "base/b64.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/promise.h"
#include "model/narrow.h"

/* The key that signs now, made when the instance has none. */
static int signing_key(struct cx_sealer *sealer, int64_t now,
                       const struct cx_ring_entry **ret,
                       char ret_made[CX_RING_KID_MAX], struct cx_err *err)
{
	struct cx_sealer_cache *cache = cx_sealer_cache(sealer);
	const struct cx_ring_entry *entry = NULL;

	ret_made[0] = '\0';
	if (cx_sealer_ready(sealer, err) == 0)
		entry = cx_ring_active(&cache->ring, CX_RING_SESSION, now);
	else if (err->code != CX_E_KEY_MISSING)
		return -1;
	if (!entry) {
		if (cx_key_first(sealer->state, CX_RING_SESSION, ret_made,
		                 err) < 0 || cx_sealer_ready(sealer, err) < 0)
			return -1;
		entry = cx_ring_active(&cache->ring, CX_RING_SESSION, now);
	}
	if (!entry)
		return cx_err_set(err, CX_E_KEY_MISSING,
		                  "no session key is active; make one active "
		                  "with cx-seal key activate KID");
	*ret = entry;
	return 0;
}

/* 22 characters that don't begin like an option, so that a shell's user can
 * name them to cx-seal revoke. */
static int make_jti(struct cx_sealer *sealer, char ret[CX_CLAIMS_JTI_MAX],
                    struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	uint8_t byte[16];

	do {
		if (cx_sealer_random(sealer, byte, err) < 0)
			return -1;
		cx_buf_clear(&text);
		cx_b64_write(CX_B64_URL, byte, sizeof byte, &text);
	} while (text.data[0] == '-');
	snprintf(ret, CX_CLAIMS_JTI_MAX, "%s", text.data);
	return 0;
}

static int check_order(const struct cx_sealer *sealer,
                       const struct cx_minting_order *order,
                       struct cx_err *err)
{
	int64_t max = sealer->config->seal_max_ttl;

	if (order->ttl_s < 1 || order->ttl_s > max)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "a carrier's life is 1 to %lld seconds "
		                  "(seal.max_ttl)", (long long)max);
	return 0;
}

static int fill_claims(struct cx_sealer *sealer,
                       const struct cx_minting_order *order, int64_t now,
                       struct cx_claims *ret, struct cx_err *err)
{
	const char *instance;

	if (cx_sealer_instance(sealer, &instance, err) < 0 ||
	    make_jti(sealer, ret->jti, err) < 0)
		return -1;
	snprintf(ret->aud, sizeof ret->aud, "%s/%s", instance,
	         cx_carrier_use_text(order->use));
	ret->session = *order->session;
	ret->iat = now;
	ret->exp = now + order->ttl_s;
	return 0;
}

static void add_caveats(const struct cx_caveats *caveats, struct cx_mac *mac,
                        struct cx_buf *ret)
{
	for (size_t i = 0; i < caveats->count; i++) {
		CX_AUTO_BUF struct cx_buf bytes = { 0 };
		struct cx_mac before = *mac;

		cx_caveat_write(&caveats->item[i], &bytes);
		cx_envelope_chain(&before, bytes.data, bytes.size, mac);
		cx_envelope_add(bytes.data, bytes.size, ret);
	}
}

static int check_length(const struct cx_buf *text, struct cx_err *err)
{
	if (text->size > CX_ENVELOPE_MAX_BYTES)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "the carrier would be over %d bytes; use "
		                  "shorter ids or fewer caveats",
		                  CX_ENVELOPE_MAX_BYTES);
	return 0;
}

static int seal(struct cx_sealer *sealer, const struct cx_ring_entry *entry,
                const struct cx_claims *claims,
                const struct cx_caveats *caveats, struct cx_buf *ret,
                struct cx_err *err)
{
	struct cx_buf *bytes = &cx_sealer_cache(sealer)->text;
	const struct cx_mac_key *key;
	struct cx_mac mac;

	if (cx_sealer_key(sealer, entry, &key, err) < 0)
		return -1;
	cx_buf_clear(bytes);
	cx_claims_write(claims, bytes);
	cx_envelope_begin(key, entry->kid, bytes->data, bytes->size, &mac);
	cx_envelope_start(entry->kid, bytes->data, bytes->size, ret);
	if (caveats)
		add_caveats(caveats, &mac, ret);
	cx_envelope_end(&mac, ret);
	return check_length(ret, err);
}

int cx_minting_make(struct cx_sealer *sealer,
                    const struct cx_minting_order *order, int64_t now,
                    struct cx_minted *ret, struct cx_err *err)
{
	const struct cx_ring_entry *entry;
	struct cx_claims claims;
	int64_t end;

	if (check_order(sealer, order, err) < 0 ||
	    cx_clock_check(now, err) < 0 ||
	    signing_key(sealer, now, &entry, ret->made, err) < 0 ||
	    fill_claims(sealer, order, now, &claims, err) < 0)
		return -1;
	cx_buf_clear(&ret->text);
	if (seal(sealer, entry, &claims, order->caveats, &ret->text, err) < 0)
		return -1;
	end = order->caveats ? cx_narrow_expires(order->caveats) : INT64_MAX;
	ret->expires = end < claims.exp ? end : claims.exp;
	return 0;
}

/* What a carrier allows, by its own word. */
static int read_unverified(const struct cx_envelope *envelope,
                           struct cx_claims *ret_claims,
                           struct cx_caveats *ret_caveats,
                           struct cx_err *err)
{
	for (size_t i = 0; i < envelope->caveat_count; i++)
		if (!cx_caveat_read(envelope->bytes + envelope->caveat[i].at,
		                    envelope->caveat[i].size, ret_caveats))
			return cx_err_set(err, CX_E_CAVEAT_REFUSED,
			                  "the carrier holds a caveat that "
			                  "isn't understood here");
	return cx_claims_read(envelope->bytes + envelope->claims.at,
	                      envelope->claims.size, INT64_MAX, ret_claims,
	                      err);
}

/* Why a caveat would be wider than what stands; NULL when it isn't. */
static const char *wider(const struct cx_caveat *caveat,
                         const struct cx_claims *claims,
                         const struct cx_caveats *now)
{
	if (caveat->type == CX_CAVEAT_EXPIRES &&
	    (caveat->number > claims->exp ||
	     caveat->number > cx_narrow_expires(now)))
		return "expires is later than the carrier's own end";
	if (caveat->type == CX_CAVEAT_EGRESS &&
	    !cx_narrow_admits_tier(now, caveat->tier))
		return "egress is a higher tier than the carrier's own";
	for (size_t i = 0; i < caveat->host_count; i++)
		if (!cx_narrow_admits_host(now, caveat->host[i]))
			return "a host isn't among the carrier's own";
	for (size_t i = 0; i < now->count; i++)
		if (caveat->type == CX_CAVEAT_COMMANDS &&
		    now->item[i].type == CX_CAVEAT_COMMANDS &&
		    caveat->number > now->item[i].number)
			return "commands is more than the carrier's own";
	return NULL;
}

static int check_narrows(const struct cx_caveats *caveats,
                         const struct cx_claims *claims,
                         const struct cx_caveats *now, struct cx_err *err)
{
	for (size_t i = 0; i < caveats->count; i++) {
		const char *why = wider(&caveats->item[i], claims, now);

		if (why)
			return cx_err_set(err, CX_E_INPUT_INVALID,
			                  "a carrier can only be narrowed: %s",
			                  why);
	}
	return 0;
}

int cx_minting_narrow(const char *text, size_t length,
                      const struct cx_caveats *caveats, struct cx_buf *ret,
                      int64_t *ret_expires, struct cx_err *err)
{
	CX_AUTO_FREE struct cx_envelope *envelope =
		cx_mem_new(sizeof *envelope);
	CX_AUTO_CAVEATS struct cx_caveats now = { NULL, 0 };
	struct cx_claims claims;
	struct cx_mac mac;
	int64_t end;

	if (cx_envelope_read(text, length, envelope, err) < 0 ||
	    read_unverified(envelope, &claims, &now, err) < 0 ||
	    check_narrows(caveats, &claims, &now, err) < 0)
		return -1;
	mac = envelope->mac;
	/* all but "." and the MAC, then the new caveats and the new MAC */
	cx_buf_add(ret, text, length - CX_ENVELOPE_MAC_TEXT - 1);
	add_caveats(caveats, &mac, ret);
	cx_envelope_end(&mac, ret);
	*ret_expires = claims.exp;
	end = cx_narrow_expires(&now);
	*ret_expires = end < *ret_expires ? end : *ret_expires;
	end = cx_narrow_expires(caveats);
	*ret_expires = end < *ret_expires ? end : *ret_expires;
	return check_length(ret, err);
}
