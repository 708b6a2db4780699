/*
 * register.h - the client of a gateway's control connection.
 */
#ifndef CX_PLANE_REGISTER_H
#define CX_PLANE_REGISTER_H

#include "data/json.h"
#include "wire/message.h"

struct cx_register {
	int fd;        /* -1: none; owned */
	uint8_t secret[CX_MESSAGE_SECRET_BYTES];
};

#define CX_REGISTER_NONE ((struct cx_register){ .fd = -1 })

/* Connects to the socket at path; the secret is the caller's to fill in.
 * CX_E_CONTROL_UNREACHABLE. */
int cx_register_connect(const char *path, struct cx_register *ret,
                        struct cx_err *err);

/* Wipes the secret and closes. */
void cx_register_done(struct cx_register *reg);

#define CX_AUTO_REGISTER __attribute__((cleanup(cx_register_done)))

/*
 * Asks, with fd[count], and waits for the answer, 10 s at most. 0: it was
 * carried out. What was refused is CX_E_CONTROL_UNAUTHORIZED,
 * CX_E_UNREGISTERED_TOKEN, CX_E_CONFIG_INVALID of a reload, else
 * CX_E_EGRESS_REGISTRATION_FAILED. Where an answer came, *ret_answer (the
 * caller's, or NULL) is it either way.
 */
int cx_register_ask(struct cx_register *reg, const json_t *question,
                    const int *fd, size_t count, json_t **ret_answer,
                    struct cx_err *err);

#endif
