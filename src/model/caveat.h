/*
 * caveat.h - what a carrier's holder may narrow without the key.
 *
 * A carrier's caveats all hold at once: each one only takes away, so their
 * order doesn't matter to what they allow. What fails closed: an unknown type
 * or a value outside its grammar is no caveat, and the carrier that holds it
 * is refused.
 */
#ifndef CX_MODEL_CAVEAT_H
#define CX_MODEL_CAVEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/session.h"
#include "model/tier.h"

enum cx_caveat_type {
	CX_CAVEAT_EXPIRES,  /* whole seconds since 1970, exclusive */
	CX_CAVEAT_EGRESS,   /* the highest tier */
	CX_CAVEAT_HOSTS,    /* entries host, *.host, host:port; the only ones */
	CX_CAVEAT_IMAGE,    /* the one image digest that may run */
	CX_CAVEAT_SKILLS,   /* the one staged skills digest that may mount */
	CX_CAVEAT_COMMANDS, /* how often the carrier may be spent */
	CX_CAVEAT_SURFACE,  /* the session's surface */
	CX_CAVEAT_TYPES
};

enum {
	CX_CAVEAT_MAX = 64,         /* caveats of one carrier */
	CX_CAVEAT_HOST_MAX_BYTES = 255,
	CX_CAVEAT_COMMANDS_MAX = 1000000,
};

struct cx_caveat {
	enum cx_caveat_type type;
	int64_t number;          /* expires, commands */
	enum cx_tier tier;       /* egress */
	enum cx_surface surface; /* surface */
	char *text;              /* image, skills: "sha256:..."; owned */
	char **host;             /* hosts, owned */
	size_t host_count;
};

/* All zero is none. */
struct cx_caveats {
	struct cx_caveat *item;  /* owned */
	size_t count;
};

void cx_caveat_free(struct cx_caveats *caveats);
#define CX_AUTO_CAVEATS __attribute__((cleanup(cx_caveat_free)))

/* "expires", ... as in the carrier. */
const char *cx_caveat_name(enum cx_caveat_type type);
bool cx_caveat_find(const char *name, enum cx_caveat_type *ret);

/* An entry of hosts within its grammar: host, *.host or host:port, lower case,
 * letters, digits, hyphens and dots. */
bool cx_caveat_is_host(const char *entry);

/* "sha256:" and 64 lower-case hexadecimal digits. */
bool cx_caveat_is_digest(const char *text);

/*
 * What a caller that carries out a job asks of a carrier's caveats. Each is
 * true when no caveat stands against it; the class of a false one is
 * CX_E_CAVEAT_REFUSED.
 */
bool cx_caveat_admits_image(const struct cx_caveats *caveats,
                            const char *digest);
bool cx_caveat_admits_skills(const struct cx_caveats *caveats,
                             const char *digest);
bool cx_caveat_admits_tier(const struct cx_caveats *caveats,
                           enum cx_tier tier);
bool cx_caveat_admits_surface(const struct cx_caveats *caveats,
                              enum cx_surface surface);

/* An allowlist entry asked for: every hosts caveat has an entry that covers
 * it (the same, or the domain it lies in, and the same port or none). */
bool cx_caveat_admits_host(const struct cx_caveats *caveats,
                           const char *entry);

/* There is a caveat of this type. */
bool cx_caveat_has(const struct cx_caveats *caveats,
                   enum cx_caveat_type type);

/* The earliest expires caveat; INT64_MAX when there is none. */
int64_t cx_caveat_expires(const struct cx_caveats *caveats);

/* The highest tier that all egress caveats (and a hosts caveat, which implies
 * allowlist at most) leave. */
enum cx_tier cx_caveat_tier(const struct cx_caveats *caveats);

#endif
