/*
 * message.h - one packet between a gateway and who controls it: a secret, a
 * text, and descriptors with it (SCM_RIGHTS), over SOCK_SEQPACKET.
 *
 * The secret stands before the text, so that a stranger's text is never read.
 */
#ifndef CX_WIRE_MESSAGE_H
#define CX_WIRE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	CX_MESSAGE_MAX_BYTES = 128 * 1024, /* of the text */
	CX_MESSAGE_FDS_MAX = 32,
	CX_MESSAGE_SECRET_BYTES = 32,
};

struct cx_message {
	uint8_t secret[CX_MESSAGE_SECRET_BYTES]; /* zeros: there is none */
	int fd[CX_MESSAGE_FDS_MAX];              /* owned; -1: none */
	size_t fds;
	size_t size;
	char text[CX_MESSAGE_MAX_BYTES + 1];     /* with a NUL behind it */
};

/* Sends one: secret NULL is none; the descriptors stay the caller's. 0 or -1,
 * errno (EMSGSIZE: the text is too long). No SIGPIPE. */
int cx_message_send(int fd, const uint8_t *secret, const char *text,
                    size_t size, const int *passed, size_t count);

/* Takes the next one: 1, 0 at the end, -1 and errno (EAGAIN: not yet, on a
 * socket that doesn't block; EPROTO: it is none of ours). Descriptors are
 * close-on-exec; ret->fd[] are the caller's where it is 1. */
int cx_message_receive(int fd, struct cx_message *ret);

/* Closes the descriptors that weren't taken. */
void cx_message_close(struct cx_message *message);

/* Who made the connection: our own user, or root (SO_PEERCRED). */
bool cx_message_peer_is_ours(int fd);

#endif
