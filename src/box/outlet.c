/* outlet.c - see outlet.h. */
#include "box/outlet.h"

#include <errno.h>
#include <fcntl.h>

#include "base/mem.h"
#include "base/promise.h"

enum {
	FIRST_READ_BYTES = 16 * 1024,
	READ_BYTES = CX_HASHER_SLOT_BYTES,
	PIPE_BYTES = 1024 * 1024,
	HASHER_FROM_BYTES = 4 * 1024 * 1024,
};

enum { STREAMS = 0, HASHER = 2, READERS = 3 };

void cx_outlet_start(const struct cx_box_hooks *hooks,
                     const struct cx_quota *quota, const int fd[2],
                     struct cx_outlet *ret)
{
	*ret = (struct cx_outlet){
		.hooks = hooks,
		.fd = { fd[0], fd[1] },
		.buffer = cx_mem_grow(NULL, FIRST_READ_BYTES, 1),
		.buffer_bytes = FIRST_READ_BYTES,
		.hasher = CX_HASHER_NONE,
		.may_hash = true,
	};
	cx_stream_start(quota->stdout_bytes, quota->on_output_cap,
	                &ret->stream[0]);
	cx_stream_start(quota->stderr_bytes, quota->on_output_cap,
	                &ret->stream[1]);
}

void cx_outlet_expect(const struct cx_outlet *outlet,
                      struct pollfd ret[CX_OUTLET_FDS])
{
	const struct cx_hasher *hasher = &outlet->hasher;
	struct cx_box_readers readers = CX_BOX_READERS_NONE;
	bool full = hasher->shared && hasher->count == CX_HASHER_SLOTS;

	if (outlet->hooks->readers)
		outlet->hooks->readers(outlet->hooks->context, &readers);
	for (int i = 0; i < 2; i++) {
		bool held = full || (readers.full[i] && !outlet->hurried);

		ret[STREAMS + i] = (struct pollfd){
			held ? -1 : outlet->fd[i], POLLIN, 0
		};
		ret[READERS + i] = (struct pollfd){
			readers.fd[i], POLLOUT, 0
		};
	}
	ret[HASHER] = (struct pollfd){
		hasher->shared && hasher->count > 0 ? hasher->fd : -1, POLLIN,
		0
	};
}

static void start_hasher(struct cx_outlet *outlet)
{
	const struct cx_digest_stream begun[2] = {
		outlet->stream[0].digest, outlet->stream[1].digest,
	};

	outlet->may_hash = false;
	cx_hasher_start(begun, &outlet->hasher);
}

/* Most commands say little; for the others pipe and buffer grow, and those
 * that go on and on get a hasher. */
static void make_room(struct cx_outlet *outlet, int which, uint64_t before)
{
	uint64_t now = outlet->stream[which].total_bytes;

	if (before < FIRST_READ_BYTES && now >= FIRST_READ_BYTES) {
		/* less will do */
		fcntl(outlet->fd[which], F_SETPIPE_SZ, PIPE_BYTES);
		if (outlet->buffer_bytes < READ_BYTES) {
			outlet->buffer_bytes = READ_BYTES;
			outlet->buffer = cx_mem_grow(outlet->buffer,
			                             READ_BYTES, 1);
		}
	}
	if (now >= HASHER_FROM_BYTES && outlet->may_hash)
		start_hasher(outlet);
}

/* The newest n bytes of a stream, but none over a cap that ends it. */
static void pass_on(const struct cx_outlet *outlet, int which,
                    const char *data, size_t n)
{
	const struct cx_box_hooks *hooks = outlet->hooks;
	const struct cx_stream *stream = &outlet->stream[which];
	uint64_t before = stream->total_bytes - n;

	if (stream->policy == CX_QUOTA_CAP_KILL) {
		uint64_t room = before < stream->cap ? stream->cap - before : 0;

		n = n < room ? n : (size_t)room;
	}
	if (hooks->output && n > 0)
		hooks->output(hooks->context, which + 1, data, n);
}

static void keep(struct cx_outlet *outlet, int which, const char *data,
                 size_t n)
{
	if (!outlet->hasher.shared) {
		cx_stream_add(&outlet->stream[which], data, n);
		return;
	}
	cx_hasher_give(&outlet->hasher, (unsigned)which, n);
	cx_stream_keep(&outlet->stream[which], data, n);
}

static void read_stream(struct cx_outlet *outlet, int which)
{
	char *data = outlet->buffer;
	size_t room = outlet->buffer_bytes;
	uint64_t before = outlet->stream[which].total_bytes;
	ssize_t n;

	if (outlet->hasher.shared) {
		data = cx_hasher_slot(&outlet->hasher);
		room = CX_HASHER_SLOT_BYTES;
	}
	if (!data)
		return;
	n = read(outlet->fd[which], data, room);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		outlet->fd[which] = -1;
		return;
	}
	keep(outlet, which, data, (size_t)n);
	pass_on(outlet, which, data, (size_t)n);
	make_room(outlet, which, before);
}

static bool is_over_cap(const struct cx_stream *stream)
{
	return stream->policy == CX_QUOTA_CAP_KILL &&
	       !CX_PROMISE(output_is_capped, !cx_stream_is_over(stream));
}

bool cx_outlet_take(struct cx_outlet *outlet,
                    const struct pollfd ready[CX_OUTLET_FDS])
{
	bool within = true;

	if (ready[HASHER].revents)
		cx_hasher_hear(&outlet->hasher);
	for (int i = 0; i < 2; i++)
		if (ready[READERS + i].revents)
			outlet->hooks->push(outlet->hooks->context);
	for (int i = 0; i < 2; i++) {
		if (!ready[STREAMS + i].revents)
			continue;
		read_stream(outlet, i);
		within = within && !is_over_cap(&outlet->stream[i]);
	}
	return within;
}

bool cx_outlet_is_over(const struct cx_outlet *outlet)
{
	return outlet->fd[0] < 0 && outlet->fd[1] < 0;
}

void cx_outlet_stop(struct cx_outlet *outlet)
{
	outlet->fd[0] = -1;
	outlet->fd[1] = -1;
}

void cx_outlet_end(struct cx_outlet *outlet, struct cx_report *ret)
{
	cx_hasher_end(&outlet->hasher, &outlet->stream[0].digest,
	              &outlet->stream[1].digest);
	cx_stream_end(&outlet->stream[0], &ret->out);
	cx_stream_end(&outlet->stream[1], &ret->err);
	free(outlet->buffer);
}
