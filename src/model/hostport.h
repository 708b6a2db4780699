/*
 * hostport.h - entries of host lists: HOST, *.HOST, .HOST and HOST:PORT.
 *
 * A name stands for itself and all that is under it, so "*." and "." before
 * it change nothing. An address stands for itself.
 */
#ifndef CX_MODEL_HOSTPORT_H
#define CX_MODEL_HOSTPORT_H

#include "model/decide.h"

/* What an entry is made of, before its host is read. */
struct cx_hostport {
	const char *host; /* without what stands before it; borrowed */
	size_t size;
	bool under;       /* "*." or "." stood before it */
	uint16_t port;    /* 0: none */
};

/* false: its port is none. */
bool cx_hostport_split(const char *text, size_t size, struct cx_hostport *ret);

/* An entry in ASCII. */
bool cx_hostport_read(const char *text, size_t size, struct cx_entry *ret);

/* The same of a text; one that isn't ASCII is left to plane/allowlist. */
bool cx_hostport_fits(const char *text);

/* A host without port that isn't an address, in ASCII. */
bool cx_hostport_is_name(const char *text);

#endif
