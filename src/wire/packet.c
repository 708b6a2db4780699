/* packet.c - see packet.h. */
#include "wire/packet.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/fd.h"

enum { MAGIC = 0x63782f31, CHUNK_BYTES = 1 << 18 };

static int send_all(int fd, struct iovec *part, size_t count)
{
	struct msghdr message = { .msg_iov = part, .msg_iovlen = count };

	while (message.msg_iovlen > 0) {
		ssize_t n = sendmsg(fd, &message, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		while (message.msg_iovlen > 0 &&
		       (size_t)n >= message.msg_iov->iov_len) {
			n -= (ssize_t)message.msg_iov->iov_len;
			message.msg_iov++;
			message.msg_iovlen--;
		}
		if (message.msg_iovlen > 0) {
			char *base = message.msg_iov->iov_base;

			message.msg_iov->iov_base = base + n;
			message.msg_iov->iov_len -= (size_t)n;
		}
	}
	return 0;
}

int cx_packet_send(int fd, uint32_t kind, const void *body, size_t size)
{
	struct cx_packet_head head = { MAGIC, kind, size };
	/* sendmsg writes through neither */
	union { const void *in; void *out; } pun = { .in = body };
	struct iovec part[] = { { &head, sizeof head }, { pun.out, size } };

	return send_all(fd, part, size > 0 ? 2 : 1);
}

static bool makes_sense(const struct cx_packet_head *head)
{
	return head->magic == MAGIC && head->size <= CX_PACKET_MAX_BYTES;
}

int cx_packet_receive(int fd, uint32_t *ret_kind, struct cx_buf *ret_body)
{
	struct cx_packet_head head;
	ssize_t n = cx_fd_read(fd, &head, sizeof head);

	cx_buf_clear(ret_body);
	if (n == 0)
		return 0;
	if (n != sizeof head || !makes_sense(&head))
		return -1;
	if (head.size > 0) {
		char *room = cx_buf_room(ret_body, head.size);

		if (cx_fd_read(fd, room, head.size) != (ssize_t)head.size)
			return -1;
		ret_body->size = head.size;
		ret_body->data[head.size] = '\0';
	}
	*ret_kind = head.kind;
	return 1;
}

static bool is_whole(const struct cx_packet_inbox *inbox)
{
	return inbox->head_size == sizeof inbox->head &&
	       inbox->body.size == inbox->head.size;
}

static void *room(struct cx_packet_inbox *inbox, size_t *ret_size)
{
	uint64_t left = inbox->head.size - inbox->body.size;

	if (inbox->head_size < sizeof inbox->head) {
		*ret_size = sizeof inbox->head - inbox->head_size;
		return (char *)&inbox->head + inbox->head_size;
	}
	*ret_size = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
	return cx_buf_room(&inbox->body, *ret_size);
}

int cx_packet_poll(int fd, struct cx_packet_inbox *inbox)
{
	if (is_whole(inbox)) { /* it was taken */
		inbox->head_size = 0;
		cx_buf_clear(&inbox->body);
	}
	for (;;) {
		size_t size;
		void *to = room(inbox, &size);
		ssize_t n = recv(fd, to, size, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n <= 0)
			return -1;
		if (inbox->head_size < sizeof inbox->head) {
			inbox->head_size += (size_t)n;
			if (inbox->head_size == sizeof inbox->head &&
			    !makes_sense(&inbox->head))
				return -1;
		} else {
			inbox->body.size += (size_t)n;
		}
		if (is_whole(inbox))
			return 1;
	}
}

void cx_packet_inbox_done(struct cx_packet_inbox *inbox)
{
	cx_buf_done(&inbox->body);
	inbox->head_size = 0;
}

int cx_packet_pass(int fd, int number, int fd_to_pass)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
	                     .cmsg_level = SOL_SOCKET,
	                     .cmsg_type = SCM_RIGHTS } };
	struct iovec part = { &number, sizeof number };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t n;

	if (fd_to_pass >= 0) {
		message.msg_control = &with;
		message.msg_controllen = sizeof with;
		memcpy(CMSG_DATA(&with.head), &fd_to_pass, sizeof fd_to_pass);
	}
	do
		n = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == sizeof number ? 0 : -1;
}

int cx_packet_accept(int fd, int *ret_number, int *ret_fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with;
	struct iovec part = { ret_number, sizeof *ret_number };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &with, .msg_controllen = sizeof with,
	};
	const struct cmsghdr *head;
	ssize_t n;

	*ret_fd = -1;
	do
		n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -1 : 0;
	head = CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_level == SOL_SOCKET &&
	    head->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(head), sizeof *ret_fd);
	return n == sizeof *ret_number ? 1 : -1;
}
