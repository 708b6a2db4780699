/* envelope.c - see envelope.h. */
#include "plane/envelope.h"

#include "base/b64.h"
#include "base/promise.h"

static const char VERSION[] = "cxs1";



/* The text that is left, taken apart from the left. */
struct cursor {
	const char *at, *end;
};

static int malformed(struct cx_err *err, const char *why)
{
	return cx_err_set(err, CX_E_CARRIER_MALFORMED,
	                  "the carrier %s; pass it on exactly as it was "
	                  "minted", why);
}

/* [A-Za-z0-9._~-] */
static bool in_alphabet(const char *text, size_t length)
{
	static const uint8_t inside[256] = {
		['A' ... 'Z'] = 1, ['a' ... 'z'] = 1, ['0' ... '9'] = 1,
		['.'] = 1, ['_'] = 1, ['~'] = 1, ['-'] = 1,
	};
	uint8_t all = 1;

	for (size_t i = 0; i < length; i++)
		all &= inside[(unsigned char)text[i]];
	return all;
}

/* Up to the next dot, which must be there, and is passed over. */
static bool next_part(struct cursor *left, const char **ret_text,
                      size_t *ret_length)
{
	const char *dot = memchr(left->at, '.', (size_t)(left->end - left->at));

	if (!dot)
		return false;
	*ret_text = left->at;
	*ret_length = (size_t)(dot - left->at);
	left->at = dot + 1;
	return true;
}

static bool decode(const char *text, size_t length, struct cx_envelope *ret,
                   size_t *used, struct cx_envelope_part *ret_part)
{
	size_t size = 0;

	if (length == 0 ||
	    !CX_PROMISE(carrier_one_spelling,
	                cx_b64_decode(CX_B64_URL, text, length,
	                              ret->bytes + *used, &size)))
		return false;
	ret_part->at = (uint16_t)*used;
	ret_part->size = (uint16_t)size;
	*used += size;
	return true;
}

/* <claims>[~<caveat>...] */
static bool read_body(const char *text, size_t length, struct cx_envelope *ret)
{
	const char *end = text + length;
	const char *tilde = memchr(text, '~', length);
	size_t used = 0;

	ret->caveat_count = 0;
	if (!decode(text, (size_t)((tilde ? tilde : end) - text), ret, &used,
	            &ret->claims))
		return false;
	while (tilde) {
		const char *start = tilde + 1;

		tilde = memchr(start, '~', (size_t)(end - start));
		if (!decode(start, (size_t)((tilde ? tilde : end) - start),
		            ret, &used, &ret->caveat[ret->caveat_count]))
			return false;
		ret->caveat_count++;
	}
	return true;
}

static bool read_mac(const struct cursor *left, struct cx_envelope *ret)
{
	uint8_t byte[CX_B64_ROOM(CX_ENVELOPE_MAC_TEXT)];
	size_t size = 0;

	if (left->end - left->at != CX_ENVELOPE_MAC_TEXT ||
	    !CX_PROMISE(carrier_one_spelling,
	                cx_b64_decode(CX_B64_URL, left->at,
	                              CX_ENVELOPE_MAC_TEXT, byte, &size)))
		return false;
	memcpy(ret->mac.byte, byte, sizeof ret->mac.byte);
	return true;
}

static int read_parts(struct cursor *left, struct cx_envelope *ret,
                      struct cx_err *err)
{
	const char *kid, *body;
	size_t kid_length, body_length;

	if (!next_part(left, &kid, &kid_length) ||
	    !next_part(left, &body, &body_length))
		return malformed(err, "hasn't its four parts");
	if (!cx_ring_is_kid(kid, kid_length))
		return malformed(err, "names no key in its second part");
	memcpy(ret->kid, kid, kid_length);
	ret->kid[kid_length] = '\0';
	if (!read_body(body, body_length, ret))
		return malformed(err, "has a third part that isn't exact "
		                      "base64url");
	if (!read_mac(left, ret))
		return malformed(err, "doesn't end in the exact base64url of "
		                      "a MAC");
	return 0;
}

int cx_envelope_read(const char *text, size_t length, struct cx_envelope *ret,
                     struct cx_err *err)
{
	struct cursor left = { text, text + length };
	const char *version;
	size_t version_length;

	if (length == 0 || length > CX_ENVELOPE_MAX_BYTES)
		return malformed(err, length == 0 ? "is empty"
		                                  : "is over 4096 bytes");
	if (!in_alphabet(text, length))
		return malformed(err, "holds a character outside "
		                      "A-Z a-z 0-9 . _ ~ -");
	if (!next_part(&left, &version, &version_length))
		return malformed(err, "has no dot");
	if (version_length != strlen(VERSION) ||
	    memcmp(version, VERSION, version_length) != 0)
		return cx_err_set(err, CX_E_CARRIER_WRONG_VERSION,
		                  "the carrier's version isn't %s; mint it "
		                  "with a cx-seal of this version", VERSION);
	return read_parts(&left, ret, err);
}

/*
 * PAE needs the parts in one run of bytes. The largest is a whole carrier's
 * worth of claims.
 */
static void mac_of_parts(const struct cx_mac_key *key,
                         const struct cx_mac_part *part, size_t count,
                         struct cx_mac *ret)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	cx_mac_pae(part, count, &text);
	cx_mac_of(key, text.data, text.size, ret);
}

void cx_envelope_begin(const struct cx_mac_key *key, const char *kid,
                       const void *claims, size_t size, struct cx_mac *ret)
{
	const struct cx_mac_part part[] = {
		{ VERSION, strlen(VERSION) }, { kid, strlen(kid) },
		{ claims, size },
	};

	mac_of_parts(key, part, 3, ret);
}

void cx_envelope_chain(const struct cx_mac *before, const void *caveat,
                       size_t size, struct cx_mac *ret)
{
	const struct cx_mac_part part = { caveat, size };
	struct cx_mac_key key;

	cx_mac_key_make(before->byte, sizeof before->byte, &key);
	mac_of_parts(&key, &part, 1, ret);
	cx_mac_key_done(&key);
}

void cx_envelope_start(const char *kid, const void *claims, size_t size,
                       struct cx_buf *ret)
{
	cx_buf_text(ret, VERSION);
	cx_buf_byte(ret, '.');
	cx_buf_text(ret, kid);
	cx_buf_byte(ret, '.');
	cx_b64_write(CX_B64_URL, claims, size, ret);
}

void cx_envelope_add(const void *caveat, size_t size, struct cx_buf *ret)
{
	cx_buf_byte(ret, '~');
	cx_b64_write(CX_B64_URL, caveat, size, ret);
}

void cx_envelope_end(const struct cx_mac *mac, struct cx_buf *ret)
{
	cx_buf_byte(ret, '.');
	cx_b64_write(CX_B64_URL, mac->byte, sizeof mac->byte, ret);
}
