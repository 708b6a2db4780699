/*
 * narrow.h - what the caveats of a carrier leave of a job.
 *
 * Each predicate is true when no caveat stands against it; where one is false
 * the caller refuses with CX_E_CAVEAT_REFUSED.
 */
#ifndef CX_MODEL_NARROW_H
#define CX_MODEL_NARROW_H

#include "model/caveat.h"

bool cx_narrow_admits_image(const struct cx_caveats *caveats,
                            const char *digest);
bool cx_narrow_admits_skills(const struct cx_caveats *caveats,
                             const char *digest);
bool cx_narrow_admits_surface(const struct cx_caveats *caveats,
                              enum cx_surface surface);
bool cx_narrow_admits_tier(const struct cx_caveats *caveats,
                           enum cx_tier tier);

/* An allowlist entry that a document asks for: every hosts caveat has one
 * that covers it (the same name or a domain above it, and the same port; an
 * entry without a port covers 80 and 443). */
bool cx_narrow_admits_host(const struct cx_caveats *caveats,
                           const char *entry);

/* There is a caveat of this type. */
bool cx_narrow_has(const struct cx_caveats *caveats,
                   enum cx_caveat_type type);

/* The earliest expires; INT64_MAX when there is none. */
int64_t cx_narrow_expires(const struct cx_caveats *caveats);

/* The highest tier left: that of the egress caveats, and allowlist at most
 * where there is a hosts caveat. */
enum cx_tier cx_narrow_tier(const struct cx_caveats *caveats);

#endif
