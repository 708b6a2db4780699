/*
 * headline.h - the first line of a request's head, and its fields' lines.
 * Parts of head.h.
 */
#ifndef CX_MODEL_HEADLINE_H
#define CX_MODEL_HEADLINE_H

#include "model/head.h"

/* The line is data[line], without its CRLF. false: head->status says why. */
bool cx_headline_read(struct cx_head *head, const char *data,
                      struct cx_span line);

/* The same of an answer. */
bool cx_headline_read_reply(struct cx_head *head, const char *data,
                            struct cx_span line);

/* For a refusal: false, always. */
bool cx_headline_refuse(struct cx_head *head, uint16_t status,
                        const char *reason);

/* RFC 9110, 5.6.2. */
bool cx_headline_is_token(const char *text, size_t size);

#endif
