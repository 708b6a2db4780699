/* minting.h - making carriers, and narrowing them without a key. */
#ifndef CX_PLANE_MINTING_H
#define CX_PLANE_MINTING_H

#include "base/buf.h"
#include "model/caveat.h"
#include "model/session.h"
#include "plane/carrier.h"
#include "plane/sealer.h"

/* What a carrier is to say. */
struct cx_minting_order {
	const struct cx_session *session;
	enum cx_carrier_use use;
	int64_t ttl_s;                    /* CX_E_INPUT_INVALID outside 1 to
	                                     seal.max_ttl */
	const struct cx_caveats *caveats; /* NULL for none */
};

struct cx_minted {
	struct cx_buf text;            /* the carrier; owned */
	int64_t expires;               /* exp, or an earlier expires caveat */
	char made[CX_RING_KID_MAX];    /* kid of the instance's first key, made
	                                  for this carrier; else "" */
};

/*
 * Mints by order at now. Makes the first key of the instance when there is
 * none; a ring whose session keys aren't active is CX_E_KEY_MISSING. ret may
 * hold an earlier text, whose memory is used again.
 */
int cx_minting_make(struct cx_sealer *sealer,
                    const struct cx_minting_order *order, int64_t now,
                    struct cx_minted *ret, struct cx_err *err);

/*
 * text narrowed by caveats, appended to *ret. Needs no key: the text is judged
 * as far as it can be without one. A caveat that would allow more than the
 * carrier does now is CX_E_INPUT_INVALID. *ret_expires as of cx_minted.
 */
int cx_minting_narrow(const char *text, size_t length,
                      const struct cx_caveats *caveats, struct cx_buf *ret,
                      int64_t *ret_expires, struct cx_err *err);

#endif
