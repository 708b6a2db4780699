/*
 * lodge.h - where a gateway's control connections come in: a socket, or the
 * one connection of whoever started a private gateway.
 *
 * A private gateway has that connection as standard input. The first packet
 * on it is the secret, which so stands in no argument and no environment.
 */
#ifndef CX_GATEWAY_LODGE_H
#define CX_GATEWAY_LODGE_H

#include "gateway/reception.h"
#include "plane/doorway.h"

struct cx_lodge {
	struct cx_reception reception;
	struct cx_doorway door;  /* fd -1: private, or it is reception's */
	int private_number;      /* the connection whose end is the gateway's;
	                            -1: none */
};

/* A socket at path; NULL: run/gateway.sock of the state. The secret is the
 * instance's key of purpose gateway, the first of which is made here. */
int cx_lodge_open(const struct cx_state *state, const char *path,
                  struct cx_registrar *registrar, struct cx_lodge *ret,
                  struct cx_err *err);

/* Takes the connection at fd, and the secret from it: ends with it. */
int cx_lodge_adopt(int fd, struct cx_registrar *registrar,
                   struct cx_lodge *ret, struct cx_err *err);

/* Removes the socket's file, and closes all. */
void cx_lodge_done(struct cx_lodge *lodge);

#endif
