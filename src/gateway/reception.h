/*
 * reception.h - the control connections of a gateway.
 *
 * Who may: our own user and root, by SO_PEERCRED, with the secret. A private
 * gateway has one connection that was there before it, and ends with it; one
 * with a socket (0600) has as many as come. None of them is waited for: what
 * doesn't take its answer at once is closed.
 */
#ifndef CX_GATEWAY_RECEPTION_H
#define CX_GATEWAY_RECEPTION_H

#include "gateway/registrar.h"
#include "wire/message.h"

enum { CX_RECEPTION_MAX = 64 };

struct cx_reception {
	struct cx_registrar *registrar;
	uint8_t secret[CX_MESSAGE_SECRET_BYTES];
	int listen_fd;                /* -1: none; non-blocking; owned */
	int fd[CX_RECEPTION_MAX];     /* -1: free; owned */
	struct cx_message *message;   /* the one at hand */
};

/* The secret is copied. 0 or -1, errno. */
int cx_reception_start(struct cx_registrar *registrar,
                       const uint8_t secret[CX_MESSAGE_SECRET_BYTES],
                       int listen_fd, struct cx_reception *ret);
void cx_reception_done(struct cx_reception *reception);

/* Takes a connection that is there already. Its number, or -1. */
int cx_reception_adopt(struct cx_reception *reception, int fd);

/* listen_fd is readable: the number of a new connection, whose fd[number] is
 * to be watched for input; -1: there is none, or it was turned away. To be
 * called until it is -1. */
int cx_reception_accept(struct cx_reception *reception);

/* fd[number] is readable: answers all that is there. false: it is gone, and
 * closed, and the jobs that were its own with it. */
bool cx_reception_serve(struct cx_reception *reception, int number);

#endif
