/* body.c - see body.h. */
#include "gateway/body.h"

#include <errno.h>
#include <sys/socket.h>

#include "gateway/farewell.h"

enum {
	BAD_REQUEST = 400,
	FORBIDDEN = 403,
	CHUNK_TURNS = 16,
};

/* The job's rate is used up: in a moment there is more. */
static enum cx_body_turn slow(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_SLOW);
	return CX_BODY_WAIT;
}

/* As many of the bytes as belong to the chunked body. */
static size_t measure(const struct cx_chunk *chunk, const char *data,
                      size_t size)
{
	struct cx_chunk copy = *chunk;
	size_t n = cx_chunk_read(&copy, data, size);

	return copy.state == CX_CHUNK_BAD ? 0 : n;
}

static ssize_t fails(int error)
{
	errno = error;
	return -1;
}

/* Passes a part of a body on that stands in data. What was taken; 0: the end
 * takes no more for now; -1: errno is EPROTO where it is no such body, EDQUOT
 * where a ceiling is met. */
static ssize_t pass_part(struct cx_flow *flow, struct cx_tunnel *tunnel,
                         int way, const char *data, size_t size)
{
	struct cx_slot *slot = tunnel->slot;
	uint64_t most = cx_ferry_budget(&flow->ferry, tunnel->job, way);
	size_t part;
	ssize_t n;

	if (slot->body[way] == CX_HEAD_CHUNKED) {
		part = measure(&slot->chunk[way], data, size);
		if (part == 0)
			return fails(EPROTO);
	} else {
		part = size < slot->length[way] ? size
		                                : (size_t)slot->length[way];
	}
	if (most == 0 && cx_ferry_is_spent(tunnel->job, way))
		return fails(EDQUOT);
	if (part > most)
		part = (size_t)most;
	n = part > 0 ? cx_ferry_send(tunnel, way, data, part) : 0;
	if (n <= 0)
		return n;
	if (slot->body[way] == CX_HEAD_CHUNKED)
		cx_chunk_read(&slot->chunk[way], data, (size_t)n);
	else
		slot->length[way] -= (uint64_t)n;
	return n;
}

/* A body that can't go on: said in words, where nothing else was said yet. */
static enum cx_body_turn give_up(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	bool spent = errno == EDQUOT;

	if (tunnel->slot->answers || (!spent && errno != EPROTO)) {
		cx_farewell_reset(flow, tunnel);
		return CX_BODY_GONE;
	}
	tunnel->job->denied++;
	if (spent)
		cx_farewell_refuse(flow, tunnel, FORBIDDEN,
		                   "byte_quota_exceeded");
	else
		cx_farewell_refuse(flow, tunnel, BAD_REQUEST,
		                   "ambiguous_framing");
	return CX_BODY_GONE;
}

static bool is_through(const struct cx_slot *slot, int way)
{
	if (slot->body[way] == CX_HEAD_CHUNKED)
		return slot->chunk[way].state == CX_CHUNK_DONE;
	return slot->body[way] == CX_HEAD_LENGTH && slot->length[way] == 0;
}

/* What came with the request's head. */
static enum cx_body_turn pass_early(struct cx_flow *flow,
                                    struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	struct cx_way *way = &tunnel->way[CX_UP];

	while (slot->at < slot->size && !is_through(slot, CX_UP)) {
		ssize_t n;

		if (way->held || !tunnel->end[CX_ORIGIN].writable)
			return CX_BODY_WAIT;
		n = pass_part(flow, tunnel, CX_UP, slot->data + slot->at,
		              slot->size - slot->at);
		if (n < 0)
			return give_up(flow, tunnel);
		if (n == 0)
			return slow(flow, tunnel);
		slot->at += (uint32_t)n;
	}
	return is_through(slot, CX_UP) ? CX_BODY_THROUGH : CX_BODY_AGAIN;
}

/* A chunked body from a socket: only as much is taken out of it as belongs to
 * the body and was passed on. */
static enum cx_body_turn pass_chunks(struct cx_flow *flow,
                                     struct cx_tunnel *tunnel,
                             int way)
{
	struct cx_end *from = &tunnel->end[CX_FROM(way)];
	struct cx_end *to = &tunnel->end[CX_TO(way)];
	char *data = flow->ferry.scratch;

	for (int i = 0; i < CHUNK_TURNS; i++) {
		ssize_t n;

		if (is_through(tunnel->slot, way))
			return CX_BODY_THROUGH;
		if (!from->readable || !to->writable)
			return CX_BODY_WAIT;
		n = recv(from->fd, data, CX_FERRY_READ_BYTES, MSG_PEEK);
		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			from->readable = false;
			return CX_BODY_WAIT;
		}
		n = n > 0 ? pass_part(flow, tunnel, way, data, (size_t)n)
		          : fails(EPIPE);
		if (n < 0)
			return give_up(flow, tunnel);
		if (n == 0)
			return slow(flow, tunnel);
		recv(from->fd, NULL, (size_t)n, MSG_TRUNC);
	}
	return CX_BODY_AGAIN;
}

/* A body of known length, or the rest of the connection, as a tunnel's. */
static enum cx_body_turn pass_plain(struct cx_flow *flow,
                                    struct cx_tunnel *tunnel,
                            int way)
{
	struct cx_slot *slot = tunnel->slot;
	struct cx_way *at = &tunnel->way[way];
	bool counted = slot->body[way] == CX_HEAD_LENGTH;
	enum cx_passed passed;

	at->left = counted ? slot->length[way] : UINT64_MAX;
	passed = cx_ferry_pass(&flow->ferry, tunnel, way);
	if (counted)
		slot->length[way] = at->left;
	at->left = UINT64_MAX;
	switch (passed) {
	case CX_PASSED_WAIT:
		return CX_BODY_WAIT;
	case CX_PASSED_TURN:
		return CX_BODY_AGAIN;
	case CX_PASSED_SLOW:
		return slow(flow, tunnel);
	case CX_PASSED_LEFT:
		return CX_BODY_THROUGH;
	case CX_PASSED_END:
		if (!counted)
			return CX_BODY_THROUGH;
		break;
	case CX_PASSED_SPENT:
	case CX_PASSED_BROKEN:
		break;
	}
	cx_farewell_reset(flow, tunnel);
	return CX_BODY_GONE;
}

enum cx_body_turn cx_body_flush(struct cx_flow *flow, struct cx_tunnel *tunnel,
                                int way)
{
	struct cx_way *at = &tunnel->way[way];
	enum cx_passed passed;

	if (!at->held)
		return CX_BODY_THROUGH;
	at->left = 0;
	passed = cx_ferry_pass(&flow->ferry, tunnel, way);
	at->left = UINT64_MAX;
	if (passed == CX_PASSED_LEFT)
		return CX_BODY_THROUGH;
	if (passed != CX_PASSED_BROKEN)
		return CX_BODY_WAIT;
	cx_farewell_reset(flow, tunnel);
	return CX_BODY_GONE;
}

enum cx_body_turn cx_body_pass(struct cx_flow *flow, struct cx_tunnel *tunnel,
                               int way)
{
	struct cx_slot *slot = tunnel->slot;
	enum cx_body_turn turn = cx_body_flush(flow, tunnel, way);

	if (turn != CX_BODY_THROUGH || slot->body[way] == CX_BODY_DONE)
		return turn;
	if (way == CX_UP && slot->at < slot->size) {
		turn = pass_early(flow, tunnel);
		if (turn != CX_BODY_AGAIN)
			return turn;
	}
	return slot->body[way] == CX_HEAD_CHUNKED
	       ? pass_chunks(flow, tunnel, way)
	       : pass_plain(flow, tunnel, way);
}
