/* ferry.c - see ferry.h. */
#include "gateway/ferry.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "gateway/visit.h"
#include "model/rewrite.h"

enum {
	/* a read, or a head with what is put into it */
	PLACE_BYTES = CX_HEAD_MAX_BYTES + CX_REWRITE_MORE_BYTES,
	/* a head's answer is built behind what is read */
	SCRATCH_BYTES = 4 * CX_FERRY_READ_BYTES,
	BURST_PER_S = 10,           /* a tenth of a second may go at once */
	BURST_MIN_BYTES = 16 * 1024,
};

int cx_ferry_start(struct cx_ferry *ret, uint32_t spills)
{
	void *scratch = mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
	                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*ret = (struct cx_ferry){ 0 };
	for (int i = 0; i < CX_FERRY_PIPES; i++)
		ret->pipe[i].fd[0] = ret->pipe[i].fd[1] = -1;
	if (scratch == MAP_FAILED)
		return -1;
	ret->scratch = scratch;
	return cx_room_start(&ret->spill, spills, PLACE_BYTES);
}

static void close_pipe(struct cx_ferry *ferry, int number)
{
	cx_fd_close_at(&ferry->pipe[number].fd[0]);
	cx_fd_close_at(&ferry->pipe[number].fd[1]);
}

void cx_ferry_done(struct cx_ferry *ferry)
{
	for (int i = 0; ferry->scratch && i < CX_FERRY_PIPES; i++)
		close_pipe(ferry, i);
	if (ferry->scratch)
		munmap(ferry->scratch, SCRATCH_BYTES);
	cx_room_done(&ferry->spill);
	*ferry = (struct cx_ferry){ 0 };
}

static int take_pipe(struct cx_ferry *ferry)
{
	for (int i = 0; i < CX_FERRY_PIPES; i++) {
		if (ferry->pipe[i].taken)
			continue;
		if (ferry->pipe[i].fd[0] < 0) {
			if (pipe2(ferry->pipe[i].fd,
			          O_CLOEXEC | O_NONBLOCK) < 0)
				return -1;
			fcntl(ferry->pipe[i].fd[0], F_SETPIPE_SZ,
			      CX_FERRY_PIPE_BYTES);
		}
		ferry->pipe[i].taken = true;
		return i;
	}
	return -1;
}

static void give_pipe(struct cx_ferry *ferry, struct cx_way *way)
{
	if (way->pipe < 0)
		return;
	if (way->piped > 0)
		close_pipe(ferry, way->pipe);
	ferry->pipe[way->pipe].taken = false;
	way->pipe = -1;
	way->piped = 0;
}

static void count(struct cx_tunnel *tunnel, int way, uint64_t bytes)
{
	*(way == CX_UP ? &tunnel->job->up : &tunnel->job->down) += bytes;
	if (tunnel->visit)
		tunnel->visit->passed[way] += bytes;
}

void cx_ferry_drop(struct cx_ferry *ferry, struct cx_tunnel *tunnel, int way)
{
	struct cx_way *at = &tunnel->way[way];

	if (tunnel->job)
		count(tunnel, way, -(uint64_t)(at->held_size + at->piped));
	give_pipe(ferry, at);
	if (at->held)
		cx_room_give(&ferry->spill, at->held, PLACE_BYTES);
	at->held = NULL;
	at->held_size = 0;
}

static uint64_t ceiling(struct cx_job *job, int way)
{
	return way == CX_UP ? cx_job_left_up(job) : cx_job_left_down(job);
}

bool cx_ferry_is_spent(struct cx_job *job, int way)
{
	return ceiling(job, way) == 0;
}

/* Tokens come with time; a tenth of a second's may be saved up. */
static void refill(struct cx_job *job, int64_t now_us)
{
	uint64_t passed = (uint64_t)(now_us - job->rate_us);
	uint64_t rate[CX_WAYS] = { job->up_rate, job->down_rate };
	uint64_t *room[CX_WAYS] = { &job->up_room, &job->down_room };

	if (passed < 1000 && job->rate_us)
		return;
	job->rate_us = now_us;
	if (passed > 1000000)
		passed = 1000000;
	for (int i = 0; i < CX_WAYS; i++) {
		uint64_t most = rate[i] / BURST_PER_S;

		if (rate[i] == CX_JOB_NO_LIMIT)
			continue;
		if (most < BURST_MIN_BYTES)
			most = BURST_MIN_BYTES;
		*room[i] += rate[i] / 1000000 * passed +
		            rate[i] % 1000000 * passed / 1000000;
		if (*room[i] > most)
			*room[i] = most;
	}
}

static bool is_rated(const struct cx_job *job, int way)
{
	return (way == CX_UP ? job->up_rate : job->down_rate) !=
	       CX_JOB_NO_LIMIT;
}

uint64_t cx_ferry_budget(struct cx_ferry *ferry, struct cx_job *job, int way)
{
	uint64_t left = ceiling(job, way);
	uint64_t room;

	if (!is_rated(job, way))
		return left;
	refill(job, ferry->now_us);
	room = way == CX_UP ? job->up_room : job->down_room;
	return room < left ? room : left;
}

/* Bytes were read, to be passed on. */
static void take(struct cx_tunnel *tunnel, int way, uint64_t bytes)
{
	struct cx_job *job = tunnel->job;
	uint64_t *room = way == CX_UP ? &job->up_room : &job->down_room;

	count(tunnel, way, bytes);
	if (tunnel->way[way].left != UINT64_MAX)
		tunnel->way[way].left -= bytes;
	/* a head goes whole, whatever the rate has left */
	if (is_rated(job, way))
		*room -= bytes < *room ? bytes : *room;
}

static bool is_later(void)
{
	return errno == EAGAIN || errno == EINTR;
}

/* As send(2), and the end is known not to be writable any more. */
static ssize_t send_some(struct cx_end *end, const char *data, size_t size)
{
	ssize_t n = send(end->fd, data, size, MSG_NOSIGNAL);

	if (n < 0 && is_later())
		n = 0;
	if (n >= 0 && (size_t)n < size)
		end->writable = false;
	return n;
}

ssize_t cx_ferry_send(struct cx_tunnel *tunnel, int way, const char *data,
                      size_t size)
{
	ssize_t n = send_some(&tunnel->end[CX_TO(way)], data, size);

	if (n > 0)
		take(tunnel, way, (uint64_t)n);
	return n;
}

/* Writes what stands in the way. false: an end failed. */
static bool flush(struct cx_ferry *ferry, struct cx_way *way,
                  struct cx_end *to)
{
	ssize_t n;

	if (way->held && to->writable) {
		n = send_some(to, way->held + way->held_at, way->held_size);
		if (n < 0)
			return false;
		way->held_at += (uint32_t)n;
		way->held_size -= (uint32_t)n;
		if (way->held_size == 0) {
			cx_room_give(&ferry->spill, way->held,
			             PLACE_BYTES);
			way->held = NULL;
		}
	}
	while (way->piped > 0 && to->writable) {
		n = splice(ferry->pipe[way->pipe].fd[0], NULL, to->fd, NULL,
		           way->piped, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
		if (n < 0 && !is_later())
			return false;
		if (n <= 0)
			to->writable = false;
		else
			way->piped -= (uint32_t)n;
	}
	return true;
}

static bool put_aside(struct cx_ferry *ferry, struct cx_way *way,
                      const char *data, size_t size)
{
	if (size > PLACE_BYTES)
		return false;
	way->held = cx_room_take(&ferry->spill);
	if (!way->held)
		return false;
	memcpy(way->held, data, size);
	way->held_at = 0;
	way->held_size = (uint32_t)size;
	return true;
}

bool cx_ferry_hold(struct cx_ferry *ferry, struct cx_tunnel *tunnel, int way,
                   const char *data, size_t size)
{
	uint64_t most = ceiling(tunnel->job, way);

	if (size > most)
		size = (size_t)most;
	if (size == 0)
		return true;
	if (!put_aside(ferry, &tunnel->way[way], data, size))
		return false;
	take(tunnel, way, size);
	return true;
}

/* Without a place for what the other end doesn't take, only that much is
 * taken out of the socket which was passed on. */
static ssize_t peek_and_send(struct cx_ferry *ferry, struct cx_end *from,
                             struct cx_end *to, size_t size)
{
	ssize_t n = recv(from->fd, ferry->scratch, size, MSG_PEEK);

	if (n <= 0)
		return n;
	n = send_some(to, ferry->scratch, (size_t)n);
	if (n > 0)
		recv(from->fd, NULL, (size_t)n, MSG_TRUNC);
	else if (n == 0)
		errno = EAGAIN;
	return n > 0 ? n : -1;
}

static ssize_t copy(struct cx_ferry *ferry, struct cx_way *way,
                    struct cx_end *from, struct cx_end *to, size_t size)
{
	ssize_t n, sent;

	if (ferry->spill.used == ferry->spill.count)
		return peek_and_send(ferry, from, to, size);
	n = recv(from->fd, ferry->scratch, size, 0);
	if (n <= 0)
		return n;
	sent = send_some(to, ferry->scratch, (size_t)n);
	if (sent < 0) {
		/* it failed: what was read is lost, and not counted */
		errno = EPIPE;
		return -1;
	}
	if (sent < n)
		put_aside(ferry, way, ferry->scratch + sent,
		          (size_t)(n - sent));
	way->bulk = n == CX_FERRY_READ_BYTES;
	return n;
}

static ssize_t move(struct cx_ferry *ferry, struct cx_way *way,
                    struct cx_end *from, size_t size)
{
	ssize_t n = splice(from->fd, NULL, ferry->pipe[way->pipe].fd[1], NULL,
	                   size, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

	if (n > 0)
		way->piped = (uint32_t)n;
	return n;
}

/* Reads once, and writes as far as it goes. As read(2). */
static ssize_t pass_some(struct cx_ferry *ferry, struct cx_way *way,
                         struct cx_end *from, struct cx_end *to, uint64_t most)
{
	ssize_t n;

	if (way->bulk && way->pipe < 0)
		way->pipe = (int16_t)take_pipe(ferry);
	if (way->pipe < 0)
		return copy(ferry, way, from, to, most < CX_FERRY_READ_BYTES ?
		            (size_t)most : CX_FERRY_READ_BYTES);
	n = move(ferry, way, from, most < CX_FERRY_PIPE_BYTES ?
	         (size_t)most : CX_FERRY_PIPE_BYTES);
	if (n <= 0) {
		give_pipe(ferry, way);
		way->bulk = false;
	}
	return n;
}

static enum cx_passed tell_end(struct cx_end *to)
{
	if (!to->shut && shutdown(to->fd, SHUT_WR) < 0 && errno != ENOTCONN)
		return CX_PASSED_BROKEN;
	to->shut = true;
	return CX_PASSED_END;
}

/* Nothing may pass: is there anything that would? */
static enum cx_passed look(struct cx_job *job, struct cx_end *from,
                           int way)
{
	char byte;
	ssize_t n = recv(from->fd, &byte, 1, MSG_PEEK);

	if (n > 0)
		return cx_ferry_is_spent(job, way) ? CX_PASSED_SPENT
		                                   : CX_PASSED_SLOW;
	if (n == 0)
		from->ended = true;
	else if (is_later())
		from->readable = false;
	else
		return CX_PASSED_BROKEN;
	return n == 0 ? CX_PASSED_TURN : CX_PASSED_WAIT;
}

enum cx_passed cx_ferry_pass(struct cx_ferry *ferry, struct cx_tunnel *tunnel,
                             int way)
{
	struct cx_way *at = &tunnel->way[way];
	struct cx_end *from = &tunnel->end[CX_FROM(way)];
	struct cx_end *to = &tunnel->end[CX_TO(way)];
	uint64_t done = 0;

	while (done < CX_FERRY_TURN_BYTES) {
		uint64_t most;
		ssize_t n;

		if (!flush(ferry, at, to))
			return CX_PASSED_BROKEN;
		if (at->held || at->piped > 0)
			return CX_PASSED_WAIT;
		if (at->left == 0)
			return CX_PASSED_LEFT;
		if (from->ended)
			return tell_end(to);
		if (!from->readable || !to->writable)
			return CX_PASSED_WAIT;
		most = cx_ferry_budget(ferry, tunnel->job, way);
		if (most == 0)
			return look(tunnel->job, from, way);
		n = pass_some(ferry, at, from, to,
		              most < at->left ? most : at->left);
		if (n > 0)
			take(tunnel, way, (uint64_t)n);
		else if (n == 0)
			from->ended = true;
		else if (!is_later())
			return CX_PASSED_BROKEN;
		else if (to->writable)
			from->readable = false;
		done += n > 0 ? (uint64_t)n : 0;
	}
	return CX_PASSED_TURN;
}
