/* reception.c - see reception.h. */
#include "gateway/reception.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/promise.h"

int cx_reception_start(struct cx_registrar *registrar,
                       const uint8_t secret[CX_MESSAGE_SECRET_BYTES],
                       int listen_fd, struct cx_reception *ret)
{
	void *room = mmap(NULL, sizeof *ret->message, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*ret = (struct cx_reception){
		.registrar = registrar, .listen_fd = listen_fd,
	};
	memcpy(ret->secret, secret, sizeof ret->secret);
	for (int i = 0; i < CX_RECEPTION_MAX; i++)
		ret->fd[i] = -1;
	if (room == MAP_FAILED)
		return -1;
	ret->message = room;
	return 0;
}

void cx_reception_done(struct cx_reception *reception)
{
	if (!reception->message)
		return; /* it never began */
	for (int i = 0; i < CX_RECEPTION_MAX; i++)
		cx_fd_close_at(&reception->fd[i]);
	cx_fd_close_at(&reception->listen_fd);
	munmap(reception->message, sizeof *reception->message);
	reception->message = NULL;
	explicit_bzero(reception->secret, sizeof reception->secret);
}

int cx_reception_adopt(struct cx_reception *reception, int fd)
{
	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return -1;
	for (int i = 0; i < CX_RECEPTION_MAX; i++)
		if (reception->fd[i] < 0) {
			reception->fd[i] = fd;
			return i;
		}
	return -1;
}

static void send_answer(int fd, json_t *value)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	cx_json_write(value, &text);
	json_decref(value);
	/* who doesn't read hears no more */
	cx_message_send(fd, NULL, text.data, text.size, NULL, 0);
}

int cx_reception_accept(struct cx_reception *reception)
{
	for (;;) {
		CX_AUTO_FD int fd = accept4(reception->listen_fd, NULL, NULL,
		                            SOCK_CLOEXEC | SOCK_NONBLOCK);
		int number;

		if (fd < 0)
			return -1;
		if (!CX_PROMISE(control_peer, cx_message_peer_is_ours(fd))) {
			send_answer(fd, cx_registrar_unauthorized());
			continue;
		}
		number = cx_reception_adopt(reception, fd);
		if (number < 0)
			continue;
		cx_fd_take(&fd);
		return number;
	}
}

/* In time that depends on no byte of either. A secret is never all zeros. */
static bool is_secret(const struct cx_reception *reception)
{
	const uint8_t *given = reception->message->secret;
	unsigned differs = 0, any = 0;

	for (size_t i = 0; i < CX_MESSAGE_SECRET_BYTES; i++) {
		differs |= given[i] ^ (unsigned)reception->secret[i];
		any |= given[i];
	}
	return differs == 0 && any != 0;
}

static void hear(struct cx_reception *reception, int number)
{
	struct cx_message *message = reception->message;
	int fd = reception->fd[number];

	if (CX_PROMISE(control_secret, is_secret(reception)))
		send_answer(fd, cx_registrar_answer(
			reception->registrar, number, message->text,
			message->size, message->fd, message->fds));
	else
		send_answer(fd, cx_registrar_unauthorized());
	cx_message_close(message);
}

bool cx_reception_serve(struct cx_reception *reception, int number)
{
	int *fd = &reception->fd[number];
	int got = 0;

	while (*fd >= 0 &&
	       (got = cx_message_receive(*fd, reception->message)) == 1)
		hear(reception, number);
	if (*fd >= 0 && got < 0 && errno == EAGAIN)
		return true;
	cx_fd_close_at(fd);
	cx_registrar_leave(reception->registrar, number);
	return false;
}
