/*
 * sealer.h - what minting and opening carriers keep between two of them.
 *
 * Keys are read when they are first needed and kept for the next carrier of a
 * stream. The ring is looked at again for each carrier, so a key that was
 * retired meanwhile opens nothing. Key material lives here and nowhere else:
 * call cx_sealer_done before a child is made that could read our memory.
 */
#ifndef CX_PLANE_SEALER_H
#define CX_PLANE_SEALER_H

#include <stdint.h>

#include "base/err.h"
#include "data/mac.h"
#include "plane/config.h"
#include "plane/envelope.h"
#include "plane/key.h"
#include "plane/revocation.h"
#include "plane/ring.h"
#include "store/db.h"
#include "store/state.h"

enum { CX_SEALER_KEYS = 16, CX_SEALER_RANDOM_BYTES = 1024 };

struct cx_sealer_key {
	char kid[CX_RING_KID_MAX];
	struct cx_mac_key key;
};

/* Private to sealer.c and carrier.c. */
struct cx_sealer_cache {
	struct cx_ring ring;
	char instance[CX_KEY_INSTANCE_MAX]; /* "" until it is read */
	struct cx_sealer_key slot[CX_SEALER_KEYS];
	size_t used, next;
	struct cx_revocation revocation;
	uint8_t random[CX_SEALER_RANDOM_BYTES];
	size_t random_left;
	struct cx_envelope envelope;        /* of the carrier at hand */
	struct cx_buf text;
};

/*
 * Fill the first three, zero the rest. state may have fd -1 (there is no state
 * folder): then there are no keys. db may serve the caller's other work too,
 * but no transaction may be open when a carrier is spent or revoked.
 */
struct cx_sealer {
	const struct cx_state *state;   /* borrowed */
	const struct cx_config *config; /* borrowed */
	struct cx_db *db;               /* borrowed */
	struct cx_sealer_cache *cache;  /* owned; NULL until first used */
};

/* Wipes the keys and closes what was opened. */
void cx_sealer_done(struct cx_sealer *sealer);
#define CX_AUTO_SEALER __attribute__((cleanup(cx_sealer_done)))

/* Looks at the ring; CX_E_KEY_MISSING and the other key classes. */
int cx_sealer_ready(struct cx_sealer *sealer, struct cx_err *err);

/* The cache, made when there is none. */
struct cx_sealer_cache *cx_sealer_cache(struct cx_sealer *sealer);

/* The session key k that entry's file derives; borrowed until the next call
 * of cx_sealer_ready. */
int cx_sealer_key(struct cx_sealer *sealer, const struct cx_ring_entry *entry,
                  const struct cx_mac_key **ret, struct cx_err *err);

/* Our instance's id, borrowed. */
int cx_sealer_instance(struct cx_sealer *sealer, const char **ret,
                       struct cx_err *err);

/* 16 random bytes of getrandom(2), fetched for many at once. */
int cx_sealer_random(struct cx_sealer *sealer, uint8_t ret[16],
                     struct cx_err *err);

#endif
