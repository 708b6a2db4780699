/*
 * envelope.h - a carrier's text taken apart, and the chain of MACs over it.
 *
 * Nothing here reads what the parts say: length, alphabet, version and grammar
 * are judged, the parts decoded, the chain computed.
 */
#ifndef CX_PLANE_ENVELOPE_H
#define CX_PLANE_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "data/mac.h"
#include "plane/ring.h"

enum {
	CX_ENVELOPE_MAX_BYTES = 4096,
	CX_ENVELOPE_MAC_TEXT = 43, /* base64url of 32 bytes */
	/* "~AA" is the shortest caveat, so no text holds more */
	CX_ENVELOPE_CAVEATS_MAX = CX_ENVELOPE_MAX_BYTES / 3,
};

/* A part within bytes. */
struct cx_envelope_part { uint16_t at, size; };

struct cx_envelope {
	char kid[CX_RING_KID_MAX];
	struct cx_mac mac;
	struct cx_envelope_part claims;
	size_t caveat_count;
	struct cx_envelope_part caveat[CX_ENVELOPE_CAVEATS_MAX];
	char bytes[CX_ENVELOPE_MAX_BYTES]; /* the decoded parts */
};

/* CX_E_CARRIER_MALFORMED, CX_E_CARRIER_WRONG_VERSION. */
int cx_envelope_read(const char *text, size_t length, struct cx_envelope *ret,
                     struct cx_err *err);

/* The MAC over version, kid and claims. */
void cx_envelope_begin(const struct cx_mac_key *key, const char *kid,
                       const void *claims, size_t size, struct cx_mac *ret);

/* The MAC over one more caveat, keyed by the one before. */
void cx_envelope_chain(const struct cx_mac *before, const void *caveat,
                       size_t size, struct cx_mac *ret);

/* "cxs1.<kid>.<claims>" is appended; then each caveat; then the MAC. */
void cx_envelope_start(const char *kid, const void *claims, size_t size,
                       struct cx_buf *ret);
void cx_envelope_add(const void *caveat, size_t size, struct cx_buf *ret);
void cx_envelope_end(const struct cx_mac *mac, struct cx_buf *ret);

#endif
