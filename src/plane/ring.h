/*
 * ring.h - the keys of an instance: keys/ring.json and one file for each key.
 *
 * ring.json is an array of {kid, purpose, alg, state, notBefore, notAfter,
 * file}; a key file is exactly 32 random bytes, 0600, ours, no link. States:
 * verify-only (new, so that every node has it before it is used), active (at
 * most one of a purpose is made so), retired. Only the key that a kid names is
 * ever tried. Writers (plane/key.h) hold a lock on keys/ and replace ring.json
 * whole, so a reader sees the old ring or the new one.
 */
#ifndef CX_PLANE_RING_H
#define CX_PLANE_RING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "data/json.h"
#include "store/state.h"

enum {
	CX_RING_KID_MAX = 33,   /* [a-z0-9-]{1,32} and NUL */
	CX_RING_KEY_BYTES = 32,
	CX_RING_ENTRIES_MAX = 4096,
};

enum cx_ring_purpose {
	CX_RING_SESSION,     /* hmac-sha256 */
	CX_RING_PROVENANCE,  /* ed25519: the file is the seed */
	CX_RING_AUDIT,       /* ed25519 */
	CX_RING_GATEWAY,     /* hmac-sha256 */
	CX_RING_PURPOSES
};

enum cx_ring_state { CX_RING_VERIFY_ONLY, CX_RING_ACTIVE, CX_RING_RETIRED };

struct cx_ring_entry {
	char kid[CX_RING_KID_MAX];
	enum cx_ring_purpose purpose;
	enum cx_ring_state state;
	char alg[24];        /* of another than the purpose's own the key is
	                        never used */
	int64_t not_before;  /* INT64_MIN: no bound */
	int64_t not_after;   /* exclusive; INT64_MAX: no bound */
	char file[256];      /* a name in keys/ */
};

struct cx_ring {
	struct cx_ring_entry *entry; /* owned */
	size_t count;
	int keys_fd;                 /* keys/ */
	int ring_fd;                 /* the ring.json that was read: while it is
	                                open, no other file gets its inode */
	struct stat seen;            /* of it */
};

#define CX_RING_NONE ((struct cx_ring){ .keys_fd = -1, .ring_fd = -1 })

/* Words of ring.json: "session", "verify-only", "hmac-sha256", ... */
const char *cx_ring_purpose_text(enum cx_ring_purpose purpose);
bool cx_ring_find_purpose(const char *text, enum cx_ring_purpose *ret);
const char *cx_ring_state_text(enum cx_ring_state state);
const char *cx_ring_alg(enum cx_ring_purpose purpose);
bool cx_ring_is_kid(const char *text, size_t length);

/*
 * Reads the ring. Absent: CX_E_KEY_MISSING. A ring that doesn't parse, or with
 * two entries of one kid: CX_E_KEY_INVALID. One that others may write:
 * CX_E_KEY_PERMISSIONS.
 */
int cx_ring_load(const struct cx_state *state, struct cx_ring *ret,
                 struct cx_err *err);

/* Reads it (again) when ring.json isn't the file that was read. *ret_changed
 * says so; on failure the old ring is gone. CX_RING_NONE is a ring to begin
 * with. */
int cx_ring_refresh(const struct cx_state *state, struct cx_ring *ring,
                    bool *ret_changed, struct cx_err *err);

void cx_ring_done(struct cx_ring *ring);
#define CX_AUTO_RING __attribute__((cleanup(cx_ring_done)))

/* The entry of a kid, NULL when there is none. */
const struct cx_ring_entry *cx_ring_find(const struct cx_ring *ring,
                                         const char *kid);

/* May what this key signed for purpose be believed at now: its own purpose,
 * not retired, within its bounds? */
bool cx_ring_verifies(const struct cx_ring_entry *entry,
                      enum cx_ring_purpose purpose, int64_t now);

/* The entry that signs for purpose at now, NULL when none is active. */
const struct cx_ring_entry *cx_ring_active(const struct cx_ring *ring,
                                           enum cx_ring_purpose purpose,
                                           int64_t now);

/* {kid, purpose, alg, state, notBefore, notAfter, file} of an entry; a bound
 * that isn't there is null. */
json_t *cx_ring_json(const struct cx_ring_entry *entry);

/* The whole ring's text, as ring.json holds it. */
void cx_ring_write(const struct cx_ring *ring, struct cx_buf *ret);

/* Adds an entry to the ring in memory. */
void cx_ring_put(struct cx_ring *ring, const struct cx_ring_entry *entry);

#endif
