/*
 * preface.h - what a tunnel's first bytes say, in the allowlist tier.
 *
 * There a name on the list must not carry to another: a server that answers
 * for many would. Port 80 is read as plain HTTP, each request by its Host. At
 * every other port the client's first bytes must be a TLS hello whose name is
 * on the list as well; without a name, or without TLS, only where an entry
 * names host and port. In the other tiers nothing is read.
 */
#ifndef CX_GATEWAY_PREFACE_H
#define CX_GATEWAY_PREFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/decide.h"

enum cx_preface {
	CX_PREFACE_PASS,  /* from here on the bytes are nobody's business */
	CX_PREFACE_HOLD,  /* nothing goes to the server until more has come;
	                   * what the server says passes all the while */
	CX_PREFACE_HTTP,  /* a request at a time: cx_head_begin_direct */
	CX_PREFACE_CLOSE, /* refused, and recorded */
};

/* What a connection that may be dialled begins with. */
enum cx_preface cx_preface_begin(const struct cx_policy *policy,
                                 const struct cx_target *target);

/* The client's bytes so far, after HOLD. CLOSE fills *ret: who asks for it is
 * reset. Never HTTP. At CX_HELLO_MAX_BYTES it is settled. */
enum cx_preface cx_preface_judge(const struct cx_policy *policy,
                                 const struct cx_target *target,
                                 const uint8_t *data, size_t size,
                                 struct cx_judgement *ret);

#endif
