/* consign.c - see consign.h. */
#include "sys/consign.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { FDS_BYTES = CX_PORTAL_SOCKETS_MAX * sizeof(int) };

union room {
	char bytes[CMSG_SPACE(FDS_BYTES)];
	struct cmsghdr align;
};

int cx_consign_send(int fd, const struct cx_portal *portal)
{
	struct cx_portal copy = *portal;
	struct iovec part = { .iov_base = &copy, .iov_len = sizeof copy };
	union room room = { .bytes = { 0 } };
	size_t size = portal->count * sizeof(int);
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = room.bytes, .msg_controllen = CMSG_SPACE(size),
	};
	ssize_t n;

	room.align = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
		.cmsg_len = CMSG_LEN(size),
	};
	for (size_t i = 0; i < portal->count; i++)
		memcpy(CMSG_DATA(&room.align) + i * sizeof(int),
		       &portal->socket[i].fd, sizeof(int));
	do
		n = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == sizeof copy ? 0 : -1;
}

static size_t take(struct msghdr *message, int fds[CX_PORTAL_SOCKETS_MAX])
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	size_t size;

	if (!head || head->cmsg_level != SOL_SOCKET ||
	    head->cmsg_type != SCM_RIGHTS)
		return 0;
	size = head->cmsg_len - CMSG_LEN(0);
	memcpy(fds, CMSG_DATA(head), size);
	return size / sizeof(int);
}

int cx_consign_receive(int fd, struct cx_portal *ret)
{
	struct cx_portal got = { .count = 0 };
	struct iovec part = { .iov_base = &got, .iov_len = sizeof got };
	union room room;
	int fds[CX_PORTAL_SOCKETS_MAX];
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = room.bytes,
		.msg_controllen = sizeof room.bytes,
	};
	ssize_t n;
	size_t count;

	do
		n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return (int)n;
	count = take(&message, fds);
	if (n != sizeof got || got.count != count) {
		struct cx_portal some = { .count = count };

		for (size_t i = 0; i < count; i++)
			some.socket[i].fd = fds[i];
		cx_portal_done(&some);
		errno = EPROTO;
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		got.socket[i].fd = fds[i];
	*ret = got;
	return 1;
}
