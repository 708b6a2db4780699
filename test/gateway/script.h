/*
 * script.h - how a tunnel of load.c ends, agreed with origin.c.
 *
 * Before its end a tunnel is quiet: all of U and D has arrived at both ends,
 * the client has sent "!" and, but for ORIGIN_RESETS, got "." for it. So what
 * went through is known to the byte, even where a reset follows.
 */
#ifndef CX_TEST_GATEWAY_SCRIPT_H
#define CX_TEST_GATEWAY_SCRIPT_H

enum ending {
	BOTH,          /* the origin ends after its ".", then the client */
	CLIENT_RESETS, /* after "." */
	ORIGIN_RESETS, /* after "!" */
	CLIENT_FIRST,  /* ends after U; E more bytes come after D, and the end */
	ORIGIN_FIRST,  /* ends after D; E more bytes go after U, and the end */
	AT_ONCE,       /* head, line, U and the end in one go; as CLIENT_FIRST */
	ENDINGS
};

#endif
