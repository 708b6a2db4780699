/* relay.c - see relay.h. */
#include "run/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>

#include "base/fd.h"

/*
 * A terminal takes a write whole or waits, whatever poll said; one that is
 * opened anew can be told not to, without telling those who share ours.
 */
static int own_descriptor(int number)
{
	char path[32];
	int fd;

	if (!isatty(number))
		return number;
	snprintf(path, sizeof path, "/proc/self/fd/%d", number);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? number : fd;
}

void cx_relay_start(struct cx_relay *ret)
{
	*ret = (struct cx_relay){ .error = 0 };
	for (int i = 0; i < 2; i++)
		ret->stream[i].fd = own_descriptor(i + 1);
}

static size_t left(const struct cx_relay_stream *stream)
{
	return stream->waiting.size - stream->written;
}

/* A pipe that is ready takes PIPE_BUF bytes without blocking. */
static bool is_ready(int fd)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };

	return poll(&out, 1, 0) > 0;
}

static void lose(struct cx_relay_stream *stream)
{
	cx_buf_clear(&stream->waiting);
	stream->written = 0;
}

static void fail(struct cx_relay *relay, struct cx_relay_stream *stream)
{
	if (errno != EPIPE && !relay->error)
		relay->error = errno;
	stream->broken = true;
	lose(stream);
}

static void push(struct cx_relay *relay, int number)
{
	struct cx_relay_stream *stream = &relay->stream[number - 1];

	while (left(stream) > 0 && is_ready(stream->fd)) {
		size_t size = left(stream) < PIPE_BUF ? left(stream) : PIPE_BUF;
		ssize_t n = write(stream->fd,
		                  stream->waiting.data + stream->written,
		                  size);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		if (n < 0) {
			fail(relay, stream);
			raise(SIGPIPE);
			return;
		}
		stream->written += (size_t)n;
	}
	if (left(stream) == 0)
		lose(stream);
}

void cx_relay_push(struct cx_relay *relay)
{
	for (int i = 0; i < 2; i++)
		push(relay, i + 1);
}

/* The written part goes when it is as long as the rest. */
static void compact(struct cx_relay_stream *stream)
{
	struct cx_buf *waiting = &stream->waiting;

	if (stream->written == 0 || stream->written < left(stream))
		return;
	memmove(waiting->data, waiting->data + stream->written, left(stream));
	waiting->size = left(stream);
	stream->written = 0;
}

void cx_relay_add(struct cx_relay *relay, int number, const char *data,
                  size_t size)
{
	struct cx_relay_stream *stream = &relay->stream[number - 1];

	if (stream->broken)
		return;
	if (left(stream) + size > CX_RELAY_MAX_BYTES) {
		relay->dropped += size;
		return;
	}
	compact(stream);
	cx_buf_add(&stream->waiting, data, size);
	push(relay, number);
}

int cx_relay_waits_for(const struct cx_relay *relay, int number)
{
	const struct cx_relay_stream *stream = &relay->stream[number - 1];

	return left(stream) > 0 ? stream->fd : -1;
}

bool cx_relay_is_full(const struct cx_relay *relay, int number)
{
	return left(&relay->stream[number - 1]) >= CX_RELAY_FULL_BYTES;
}

void cx_relay_finish(struct cx_relay *relay)
{
	for (int i = 0; i < 2; i++) {
		struct cx_relay_stream *stream = &relay->stream[i];

		if (left(stream) > 0 &&
		    cx_fd_write(i + 1, stream->waiting.data + stream->written,
		                left(stream)) < 0)
			fail(relay, stream);
		lose(stream);
	}
}

void cx_relay_done(struct cx_relay *relay)
{
	for (int i = 0; i < 2; i++) {
		cx_buf_done(&relay->stream[i].waiting);
		if (relay->stream[i].fd > 2)
			cx_fd_close_at(&relay->stream[i].fd);
	}
}
