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

#include "base/buf.h"
#include "model/surface.h"
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
	CX_CAVEAT_HOST_MAX = 262,   /* bytes of an entry, with the NUL */
	CX_CAVEAT_HOSTS_MAX = 128,  /* entries of one caveat */
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

void cx_caveat_done(struct cx_caveats *caveats);
#define CX_AUTO_CAVEATS __attribute__((cleanup(cx_caveat_done)))

/* Adds a caveat; what it owns becomes the list's. */
void cx_caveat_add(struct cx_caveats *caveats, const struct cx_caveat *caveat);

/* Reads one caveat's canonical JSON {type: value} and adds it. false, and
 * nothing added, when it isn't exactly one of those that are known. */
bool cx_caveat_read(const char *bytes, size_t size,
                    struct cx_caveats *caveats);

/* Appends a caveat's canonical JSON. */
void cx_caveat_write(const struct cx_caveat *caveat, struct cx_buf *ret);

/* "expires", ... as in the carrier. */
const char *cx_caveat_name(enum cx_caveat_type type);
bool cx_caveat_find(const char *name, enum cx_caveat_type *ret);

/* An entry taken apart: its name without "*.", and its port or 0. */
struct cx_caveat_host {
	const char *name; /* borrowed, not ended */
	size_t length;
	uint64_t port;
};
bool cx_caveat_split(const char *entry, struct cx_caveat_host *ret);

/* An entry of hosts within its grammar: host, *.host or host:port, lower case,
 * letters, digits, hyphens and dots; a port without leading zeros. */
bool cx_caveat_is_host(const char *entry);

/* "sha256:" and 64 lower-case hexadecimal digits. */
bool cx_caveat_is_digest(const char *text);

#endif
