/* passkey.c - see passkey.h. */
#include "plane/passkey.h"

#include "base/clock.h"
#include "plane/key.h"
#include "plane/secret.h"

static int read_active(const struct cx_state *state, int64_t now,
                       uint8_t ret_key[CX_RING_KEY_BYTES], struct cx_err *err)
{
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	const struct cx_ring_entry *entry;

	if (cx_ring_load(state, &ring, err) < 0)
		return -1;
	entry = cx_ring_active(&ring, CX_RING_GATEWAY, now);
	if (!entry)
		return cx_err_set(err, CX_E_KEY_MISSING, "no key of purpose "
		                  "gateway is active; cx-gateway serve makes "
		                  "the first one, cx-seal key activate KID "
		                  "another");
	return cx_secret_read(&ring, entry, ret_key, err);
}

int cx_passkey_read(const struct cx_state *state, bool make,
                    uint8_t ret_key[CX_RING_KEY_BYTES], struct cx_err *err)
{
	char made[CX_RING_KID_MAX];
	int64_t now;

	if (cx_clock_now(&now, err) < 0)
		return -1;
	if (make && cx_key_first(state, CX_RING_GATEWAY, made, err) < 0)
		return -1;
	return read_active(state, now, ret_key, err);
}
