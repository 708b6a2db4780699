/*
 * carrier.c - a carrier's text, claims and caveats: what a reader takes, its
 * writer gives back to the byte. So every carrier has one spelling, and no
 * part says more than what we know of it.
 */
#include "base/mem.h"
#include "base/str.h"
#include "model/caveat.h"
#include "model/claims.h"
#include "plane/envelope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static bool same(const struct cx_buf *written, const char *text, size_t size)
{
	return written->size == size &&
	       (size == 0 || memcmp(written->data, text, size) == 0);
}

static void check_envelope(const char *text, size_t size)
{
	CX_AUTO_FREE struct cx_envelope *read = cx_mem_new(sizeof *read);
	CX_AUTO_BUF struct cx_buf again = { 0 };
	struct cx_err err = { 0 };

	if (cx_envelope_read(text, size, read, &err) < 0) {
		demand(err.code == CX_E_CARRIER_MALFORMED ||
		       err.code == CX_E_CARRIER_WRONG_VERSION);
		return;
	}
	cx_envelope_start(read->kid, read->bytes + read->claims.at,
	                  read->claims.size, &again);
	for (size_t i = 0; i < read->caveat_count; i++)
		cx_envelope_add(read->bytes + read->caveat[i].at,
		                read->caveat[i].size, &again);
	cx_envelope_end(&read->mac, &again);
	demand(same(&again, text, size));
}

static void check_claims(const char *text, size_t size)
{
	CX_AUTO_BUF struct cx_buf again = { 0 };
	struct cx_claims claims;
	struct cx_err err = { 0 };

	if (cx_claims_read(text, size, 86400, &claims, &err) < 0) {
		demand(err.code == CX_E_CARRIER_BAD_CLAIMS);
		return;
	}
	demand(claims.exp > claims.iat && claims.exp - claims.iat <= 86400);
	cx_claims_write(&claims, &again);
	demand(same(&again, text, size));
}

static void check_caveat(const char *text, size_t size)
{
	CX_AUTO_CAVEATS struct cx_caveats caveats = { 0 };
	CX_AUTO_BUF struct cx_buf again = { 0 };

	if (!cx_caveat_read(text, size, &caveats)) {
		demand(caveats.count == 0);
		return;
	}
	demand(caveats.count == 1);
	cx_caveat_write(&caveats.item[0], &again);
	demand(same(&again, text, size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CX_AUTO_FREE char *text = cx_mem_copy(data, size);

	check_envelope(text, size);
	check_claims(text, size);
	check_caveat(text, size);
	return 0;
}
