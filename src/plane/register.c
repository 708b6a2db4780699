/* register.c - see register.h. */
#include "plane/register.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

enum { ANSWER_MS = 10000, UNAUTHORIZED = 401, ABSENT = 404 };

static int unreachable(const char *path, struct cx_err *err)
{
	cx_err_sys(err, CX_E_CONTROL_UNREACHABLE, "no gateway answers at "
	           "%.400s (cx-gateway serve starts one)", path);
	return -1;
}

/* However deep the socket's folder stands, this is short. */
static int name_socket(const char *path, int *ret_folder_fd,
                       struct sockaddr_un *ret)
{
	const char *slash = strrchr(path, '/');
	CX_AUTO_FREE char *folder = NULL;
	int length;

	folder = !slash ? cx_mem_text(".") : slash == path ? cx_mem_text("/")
	         : cx_mem_print("%.*s", (int)(slash - path), path);
	*ret_folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*ret_folder_fd < 0)
		return -1;
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	length = snprintf(ret->sun_path, sizeof ret->sun_path,
	                  "/proc/self/fd/%d/%s", *ret_folder_fd,
	                  slash ? slash + 1 : path);
	errno = ENAMETOOLONG;
	return (size_t)length < sizeof ret->sun_path ? 0 : -1;
}

int cx_register_connect(const char *path, struct cx_register *ret,
                        struct cx_err *err)
{
	CX_AUTO_FD int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	CX_AUTO_FD int folder_fd = -1;
	struct sockaddr_un at;

	*ret = CX_REGISTER_NONE;
	if (fd < 0 || name_socket(path, &folder_fd, &at) < 0 ||
	    connect(fd, (const struct sockaddr *)&at, sizeof at) < 0)
		return unreachable(path, err);
	ret->fd = cx_fd_take(&fd);
	return 0;
}

void cx_register_done(struct cx_register *reg)
{
	cx_mem_wipe(reg->secret, sizeof reg->secret);
	cx_fd_close_at(&reg->fd);
}

static int gone(struct cx_err *err)
{
	return cx_err_set(err, CX_E_CONTROL_UNREACHABLE,
	                  "the gateway has gone");
}

static int await(int fd, struct cx_err *err)
{
	int64_t until_us = cx_clock_mono_us() + ANSWER_MS * 1000L;
	struct pollfd one = { fd, POLLIN, 0 };

	for (;;) {
		int64_t left_us = until_us - cx_clock_mono_us();
		int n = poll(&one, 1, left_us > 0 ? (int)(left_us / 1000) : 0);

		if (n > 0)
			return 0;
		if (n == 0)
			return cx_err_set(err, CX_E_CONTROL_UNREACHABLE,
			                  "the gateway didn't answer within "
			                  "10 s");
		if (errno != EINTR)
			return gone(err);
	}
}

static enum cx_class class_of(const json_t *answer)
{
	enum cx_class named;
	const char *reason = cx_json_text(answer, "reason");

	int64_t status = cx_json_number(answer, "status", 0);

	if (status == UNAUTHORIZED)
		return CX_E_CONTROL_UNAUTHORIZED;
	if (status == ABSENT)
		return CX_E_UNREGISTERED_TOKEN;
	named = reason ? cx_err_find(reason) : CX_E_NONE;
	return named != CX_E_NONE ? named : CX_E_EGRESS_REGISTRATION_FAILED;
}

static int judge(const json_t *answer, struct cx_err *err)
{
	const char *text = cx_json_text(answer, "message");
	const char *pointer = cx_json_text(answer, "pointer");
	const char *reason = cx_json_text(answer, "reason");
	enum cx_class code;

	if (cx_json_number(answer, "status", 0) == 200)
		return 0;
	code = class_of(answer);
	if (code == CX_E_CONTROL_UNAUTHORIZED)
		text = "the secret isn't the gateway's, or it runs for "
		       "another user";
	cx_err_set(err, code, "the gateway refused: %.500s",
	           text ? text : reason ? reason : "it doesn't say why");
	return pointer ? cx_err_at(err, "%s", pointer) : -1;
}

static int take_answer(int fd, json_t **ret, struct cx_err *err)
{
	CX_AUTO_FREE struct cx_message *message = cx_mem_new(sizeof *message);
	int got;

	if (await(fd, err) < 0)
		return -1;
	got = cx_message_receive(fd, message);
	/* it went with ours unread; what it said before is still there */
	if (got < 0 && errno == ECONNRESET)
		got = cx_message_receive(fd, message);
	if (got != 1)
		return gone(err);
	cx_message_close(message);
	return cx_json_parse(message->text, message->size,
	                     "the gateway's answer", ret, err);
}

int cx_register_ask(struct cx_register *reg, const json_t *question,
                    const int *fd, size_t count, json_t **ret_answer,
                    struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	int sent;

	*ret_answer = NULL;
	cx_json_write(question, &text);
	sent = cx_message_send(reg->fd, reg->secret, text.data, text.size, fd,
	                       count);
	if (sent < 0 && errno == EMSGSIZE)
		return cx_err_set(err, CX_E_EGRESS_REGISTRATION_FAILED,
		                  "a registration is at most %d bytes",
		                  CX_MESSAGE_MAX_BYTES);
	/* whom it turned away at its door has an answer, too */
	if (sent < 0 && errno != EPIPE)
		return gone(err);
	if (take_answer(reg->fd, ret_answer, err) < 0)
		return -1;
	return judge(*ret_answer, err);
}
