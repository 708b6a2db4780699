/* message.c - see message.h. */
#include "wire/message.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"

enum { MAGIC = 0x63786731 };

struct head {
	uint32_t magic;
	uint32_t size;
	uint8_t secret[CX_MESSAGE_SECRET_BYTES];
};

union rights {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int) * CX_MESSAGE_FDS_MAX)];
};

static void attach(struct msghdr *message, union rights *with,
                   const int *passed, size_t count)
{
	if (count == 0)
		return;
	with->head = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(sizeof(int) * count),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	};
	memcpy(CMSG_DATA(&with->head), passed, sizeof(int) * count);
	message->msg_control = with;
	message->msg_controllen = CMSG_SPACE(sizeof(int) * count);
}

int cx_message_send(int fd, const uint8_t *secret, const char *text,
                    size_t size, const int *passed, size_t count)
{
	struct head head = { .magic = MAGIC, .size = (uint32_t)size };
	union { const void *in; void *out; } pun = { .in = text };
	struct iovec part[] = { { &head, sizeof head }, { pun.out, size } };
	struct msghdr message = { .msg_iov = part, .msg_iovlen = 2 };
	union rights with = { 0 };
	ssize_t n;

	if (size > CX_MESSAGE_MAX_BYTES || count > CX_MESSAGE_FDS_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	if (secret)
		memcpy(head.secret, secret, sizeof head.secret);
	attach(&message, &with, passed, count);
	do
		n = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)(sizeof head + size) ? 0 : -1;
}

static void take_rights(struct msghdr *message, struct cx_message *ret)
{
	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at;
	     at = CMSG_NXTHDR(message, at)) {
		size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (at->cmsg_level != SOL_SOCKET ||
		    at->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(at) + i * sizeof fd, sizeof fd);
			if (ret->fds < CX_MESSAGE_FDS_MAX)
				ret->fd[ret->fds++] = fd;
			else
				close(fd);
		}
	}
}

void cx_message_close(struct cx_message *message)
{
	for (size_t i = 0; i < message->fds; i++)
		cx_fd_close_at(&message->fd[i]);
	message->fds = 0;
}

int cx_message_receive(int fd, struct cx_message *ret)
{
	struct head head;
	struct iovec part[] = { { &head, sizeof head },
		                { ret->text, CX_MESSAGE_MAX_BYTES } };
	union rights with;
	struct msghdr message = {
		.msg_iov = part, .msg_iovlen = 2,
		.msg_control = &with, .msg_controllen = sizeof with,
	};
	ssize_t n;

	ret->fds = 0;
	do
		n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -1 : 0;
	take_rights(&message, ret);
	if ((size_t)n < sizeof head || head.magic != MAGIC ||
	    head.size != (size_t)n - sizeof head ||
	    (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		cx_message_close(ret);
		errno = EPROTO;
		return -1;
	}
	memcpy(ret->secret, head.secret, sizeof ret->secret);
	ret->size = head.size;
	ret->text[ret->size] = '\0';
	return 1;
}

bool cx_message_peer_is_ours(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}
