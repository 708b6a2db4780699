/*
 * registration.h - what is said of a job when it is registered with a gateway.
 *
 * A closed object: an unknown member, or one entry of the list that can't
 * stand, refuses the whole.
 */
#ifndef CX_PLANE_REGISTRATION_H
#define CX_PLANE_REGISTRATION_H

#include "data/digest.h"
#include "data/shape.h"
#include "model/decide.h"

enum {
	CX_REGISTRATION_ENTRIES_MAX = 512,
	CX_REGISTRATION_TOKEN_MIN = 16,
	CX_REGISTRATION_TOKEN_MAX = 128,
	CX_REGISTRATION_ID_MAX = 256,
};

extern const struct cx_shape cx_registration_shape;

struct cx_registration {
	const char *token, *id, *org;  /* borrowed; "" where absent */
	enum cx_tier tier;
	const struct cx_entry *entry;  /* the caller's room */
	size_t entries;
	uint16_t port[CX_DECIDE_PORTS_MAX];
	uint8_t ports;                 /* 0: 80 and 443 */
	uint64_t up_max, down_max, total_max; /* bytes; UINT64_MAX: none */
	uint64_t up_rate, down_rate;   /* bytes a second; the same */
	uint32_t tunnels_max;
	int64_t expires_at;            /* seconds since 1970; 0: never */
	struct cx_digest digest;       /* of all this: the same policy has the
	                                  same one */
};

/* Texts are value's own. room holds CX_REGISTRATION_ENTRIES_MAX. Fails with
 * CX_E_INPUT_INVALID and the pointer below "". */
int cx_registration_read(const json_t *value, struct cx_entry *room,
                         struct cx_registration *ret, struct cx_err *err);

#endif
