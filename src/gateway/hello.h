/*
 * hello.h - the server's name in a TLS ClientHello, read strictly and without
 * a TLS library. Pure: bytes in, span out.
 */
#ifndef CX_GATEWAY_HELLO_H
#define CX_GATEWAY_HELLO_H

#include <stddef.h>
#include <stdint.h>

enum {
	CX_HELLO_MAX_BYTES = 16384,  /* of the whole hello with its records */
	CX_HELLO_RECORDS_MAX = 16,
	CX_HELLO_NAME_BYTES = 256,   /* with the final NUL */
};

enum cx_hello_state {
	CX_HELLO_MORE,     /* as far as it goes it is one: read on */
	CX_HELLO_OTHER,    /* not TLS */
	CX_HELLO_BAD,      /* begins as TLS, but ill formed or too long */
	CX_HELLO_NAMELESS, /* well formed, without a name */
	CX_HELLO_NAMED,
};

struct cx_hello {
	char name[CX_HELLO_NAME_BYTES]; /* lower case; "" unless NAMED */
};

/* data[size] is all that came so far; empty is MORE. */
enum cx_hello_state cx_hello_read(const uint8_t *data, size_t size,
                                  struct cx_hello *ret);

#endif
