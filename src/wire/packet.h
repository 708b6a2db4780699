/*
 * packet.h - messages over a stream socket between two processes of ours.
 *
 * Each has a kind and a body of known size. Both ends are one program's, so
 * the head is a plain struct; a head that makes no sense ends the connection.
 */
#ifndef CX_WIRE_PACKET_H
#define CX_WIRE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Far over the largest document, and a result with both its streams. */
#define CX_PACKET_MAX_BYTES (1ULL << 30)

struct cx_packet_head {
	uint32_t magic;
	uint32_t kind;       /* what the two have agreed on */
	uint64_t size;       /* of the body */
};

/* Sends the whole message: 0 or -1, errno. No SIGPIPE. */
int cx_packet_send(int fd, uint32_t kind, const void *body, size_t size);

/* Waits for the next message and reads it whole: 1, 0 at the end, -1. */
int cx_packet_receive(int fd, uint32_t *ret_kind, struct cx_buf *ret_body);

/* What has come so far. Zeroed to begin with; cx_packet_inbox_done. */
struct cx_packet_inbox {
	struct cx_packet_head head;
	size_t head_size;    /* bytes of it that are there */
	struct cx_buf body;
};

/* Reads once, without waiting: 1 and the message is whole in inbox (its body
 * is to be taken or cleared before the next call), 0 not yet, -1 the other
 * end is gone. */
int cx_packet_poll(int fd, struct cx_packet_inbox *inbox);
void cx_packet_inbox_done(struct cx_packet_inbox *inbox);

/* Hands number and (fd_to_pass >= 0) a descriptor over: 0 or -1, errno. */
int cx_packet_pass(int fd, int number, int fd_to_pass);

/* 1 and both, 0 at the end, -1. *ret_fd is -1 where none came; owned. */
int cx_packet_accept(int fd, int *ret_number, int *ret_fd);

#endif
