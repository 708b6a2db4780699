/*
 * credential.h - the token in a request's Proxy-Authorization (RFC 7617,
 * 6750): Bearer, or Basic with the token as password or, where that is
 * empty, as user name.
 */
#ifndef CX_MODEL_CREDENTIAL_H
#define CX_MODEL_CREDENTIAL_H

#include "model/head.h"

enum {
	CX_CREDENTIAL_TOKEN_BYTES = 129, /* with the final NUL */
};

/* false: there is none, or none that can be read. A token that is longer
 * than any of ours is read as "". */
bool cx_credential_read(const struct cx_head *head, const char *data,
                        char ret_token[CX_CREDENTIAL_TOKEN_BYTES]);

#endif
