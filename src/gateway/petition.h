/*
 * petition.h - what a person or a script asks of a gateway that runs.
 */
#ifndef CX_GATEWAY_PETITION_H
#define CX_GATEWAY_PETITION_H

#include "data/shape.h"
#include "plane/registration.h"

/* What all of them write; what register reads is plane/registration.h. */
extern const struct cx_shape cx_petition_answer;

/* The control socket: path; NULL: CX_GATEWAY or egress.gateway where one of
 * them is a path, else run/gateway.sock of the state. The secret is the
 * instance's key. As cx_register_ask; *ret_answer is owned by the caller. */
int cx_petition_ask(const char *path, const json_t *question,
                    json_t **ret_answer, struct cx_err *err);

/* A question of that verb, about job (NULL: of none); owned. */
json_t *cx_petition_about(const char *verb, const char *job);

#endif
