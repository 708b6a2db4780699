/*
 * question.h - the DNS messages of a job's programs, and their answers.
 *
 * Nothing is asked anywhere else: a question for the address of a name that
 * the policy may admit is answered out of the job's book of aliases, any other
 * name doesn't exist, and other kinds of record are empty. Pure but for the
 * book: bytes in, bytes out.
 */
#ifndef CX_GATEWAY_QUESTION_H
#define CX_GATEWAY_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gateway/alias.h"

enum {
	CX_QUESTION_TTL_S = 5,
	CX_QUESTION_MAX_BYTES = 1536,      /* longer ones get no answer */
	CX_QUESTION_REPLY_MAX_BYTES = 512,
};

/* Whether the policy may admit the name at some port, as far as that is known
 * before it is resolved. name is lower case, without a final dot. */
typedef bool cx_question_admit(void *context, const char *name);

/* Answers one message (over TCP: without its length). Returns the size of the
 * reply, or 0: there is none, as for what isn't a question. */
size_t cx_question_answer(struct cx_alias_book *book, cx_question_admit *admit,
                          void *context, const uint8_t *query, size_t size,
                          uint8_t ret_reply[CX_QUESTION_REPLY_MAX_BYTES]);

#endif
