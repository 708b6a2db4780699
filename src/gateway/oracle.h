/*
 * oracle.h - a job's DNS sockets, held by us: what is asked there is answered
 * out of its policy and its book of aliases, and goes nowhere.
 */
#ifndef CX_GATEWAY_ORACLE_H
#define CX_GATEWAY_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gateway/question.h"
#include "model/decide.h"

enum {
	CX_ORACLE_TURN = 32,  /* messages answered in one go */
	CX_ORACLE_REPLY_MAX_BYTES = 2 + CX_QUESTION_REPLY_MAX_BYTES,
};

/* The job that asks, and who is told of names that it may not have; refused
 * may be NULL. */
struct cx_oracle_asker {
	const struct cx_policy *policy;
	struct cx_alias_book *book;
	void (*refused)(void *context, const char *name);
	void *context;
};

/* Answers the datagrams that have come to fd, CX_ORACLE_TURN at most. true:
 * there may be more. */
bool cx_oracle_datagrams(int fd, const struct cx_oracle_asker *asker);

/* A connection's bytes so far (RFC 1035, 4.2.2: a length before each message).
 * Answers the first message that is whole, its length before it. The bytes
 * that it took; 0: it isn't whole yet. *ret_size is that of the reply; 0: the
 * connection is to be closed. */
size_t cx_oracle_stream(const struct cx_oracle_asker *asker,
                        const uint8_t *data, size_t size,
                        uint8_t ret_reply[CX_ORACLE_REPLY_MAX_BYTES],
                        size_t *ret_size);

#endif
