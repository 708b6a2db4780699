/* attenuate.h - a document's carrier is narrowed, without any key. */
#ifndef CX_SEAL_ATTENUATE_H
#define CX_SEAL_ATTENUATE_H

#include "data/json.h"
#include "model/caveat.h"

/* The command line's words; NULL where one wasn't given. */
struct cx_attenuate_words {
	const char *expires; /* seconds since 1970, or "+" and from now on */
	const char *egress, *image, *skills, *commands, *surface;
	const char *const *host;
	size_t host_count;
};

/* The caveats that the words ask for. CX_E_USAGE for a word outside
 * its grammar, and where there is none at all. */
int cx_attenuate_read(const struct cx_attenuate_words *words, int64_t now,
                      struct cx_caveats *ret, struct cx_err *err);

/* Replaces carrier and carrierExpiresAt of doc. */
int cx_attenuate_document(const struct cx_caveats *caveats, json_t *doc,
                          struct cx_err *err);

#endif
