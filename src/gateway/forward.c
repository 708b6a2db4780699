/* forward.c - see forward.h. */
#include "gateway/forward.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "gateway/farewell.h"
#include "gateway/request.h"
#include "model/rewrite.h"

enum {
	BODY_DONE = CX_HEAD_CHUNKED + 1,
	BODY_UNTIL_END,
	BAD_ANSWER = 502,
	FORBIDDEN = 403,
	CHUNK_TURNS = 16,
};

/* How a direction's turn ended. */
enum turn {
	TURN_WAIT,
	TURN_AGAIN,
	TURN_DONE,   /* its message is through */
	TURN_GONE,   /* the tunnel is closed */
};

static char *second_half(struct cx_flow *flow)
{
	return flow->ferry.scratch + 2 * CX_FERRY_READ_BYTES;
}

/* Sends a head; what isn't taken at once is held. */
static bool send_head(struct cx_flow *flow, struct cx_tunnel *tunnel, int way,
                      const char *data, size_t size)
{
	ssize_t n = cx_ferry_send(tunnel, way, data, size);

	if (n < 0)
		return false;
	return (size_t)n == size ||
	       cx_ferry_hold(&flow->ferry, tunnel, way, data + n,
	                     size - (size_t)n);
}

static bool has_room(const struct cx_tunnel *tunnel, int way, size_t size)
{
	return (way == CX_UP ? cx_job_left_up(tunnel->job)
	                     : cx_job_left_down(tunnel->job)) >= size;
}

void cx_forward_begin(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	struct cx_head *head = &slot->head;
	char *word = second_half(flow);
	size_t size = cx_rewrite_head(head, slot->data, &slot->target,
	                              !head->keep, word,
	                              2 * CX_FERRY_READ_BYTES);

	if (!has_room(tunnel, CX_UP, size)) {
		tunnel->job->denied++;
		cx_farewell_refuse(flow, tunnel, FORBIDDEN,
		                 "byte_quota_exceeded");
		return;
	}
	slot->is_head = cx_head_is(slot->data, head->method, "HEAD");
	slot->keep_client = head->keep;
	slot->body[CX_UP] = (uint8_t)(head->body == CX_HEAD_EMPTY ? BODY_DONE
	                                                          : head->body);
	slot->length[CX_UP] = head->length;
	slot->chunk[CX_UP] = (struct cx_chunk){ 0 };
	slot->answers = false;
	slot->asked = false;
	tunnel->state = CX_TUNNEL_FORWARD;
	cx_head_begin_reply(head);
	if (send_head(flow, tunnel, CX_UP, word, size))
		cx_flow_ready(flow, tunnel);
	else
		cx_farewell_refuse(flow, tunnel, BAD_ANSWER,
		                 "upstream_unreachable");
}

/* ---- bodies -------------------------------------------------------------- */

/* The job's rate is used up: in a moment there is more. */
static enum turn slow(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_SLOW);
	return TURN_WAIT;
}

/* As many of the bytes as belong to the chunked body. */
static size_t measure(const struct cx_chunk *chunk, const char *data,
                      size_t size)
{
	struct cx_chunk copy = *chunk;
	size_t n = cx_chunk_read(&copy, data, size);

	return copy.state == CX_CHUNK_BAD ? 0 : n;
}

/* Passes a part of a body on that stands in data. What was taken; 0: the end
 * takes no more for now; -1: it fails, or the body does. */
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
			return -1;
	} else {
		part = size < slot->length[way] ? size
		                                : (size_t)slot->length[way];
	}
	if (most == 0 && cx_ferry_is_spent(tunnel->job, way))
		return -1;
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

static bool is_through(const struct cx_slot *slot, int way)
{
	if (slot->body[way] == CX_HEAD_CHUNKED)
		return slot->chunk[way].state == CX_CHUNK_DONE;
	return slot->body[way] == CX_HEAD_LENGTH && slot->length[way] == 0;
}

/* What came with the request's head. */
static enum turn pass_early(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	struct cx_way *way = &tunnel->way[CX_UP];

	while (slot->at < slot->size && !is_through(slot, CX_UP)) {
		ssize_t n;

		if (way->held || !tunnel->end[CX_ORIGIN].writable)
			return TURN_WAIT;
		n = pass_part(flow, tunnel, CX_UP, slot->data + slot->at,
		              slot->size - slot->at);
		if (n < 0) {
			cx_farewell_reset(flow, tunnel);
			return TURN_GONE;
		}
		if (n == 0)
			return slow(flow, tunnel);
		slot->at += (uint32_t)n;
	}
	return is_through(slot, CX_UP) ? TURN_DONE : TURN_AGAIN;
}

/* A chunked body from a socket: only as much is taken out of it as belongs to
 * the body and was passed on. */
static enum turn pass_chunks(struct cx_flow *flow, struct cx_tunnel *tunnel,
                             int way)
{
	struct cx_end *from = &tunnel->end[CX_FROM(way)];
	struct cx_end *to = &tunnel->end[CX_TO(way)];
	char *data = flow->ferry.scratch;

	for (int i = 0; i < CHUNK_TURNS; i++) {
		ssize_t n;

		if (is_through(tunnel->slot, way))
			return TURN_DONE;
		if (!from->readable || !to->writable)
			return TURN_WAIT;
		n = recv(from->fd, data, CX_FERRY_READ_BYTES, MSG_PEEK);
		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			from->readable = false;
			return TURN_WAIT;
		}
		if (n > 0)
			n = pass_part(flow, tunnel, way, data, (size_t)n);
		else
			n = -1;
		if (n < 0) {
			cx_farewell_reset(flow, tunnel);
			return TURN_GONE;
		}
		if (n == 0)
			return slow(flow, tunnel);
		recv(from->fd, NULL, (size_t)n, MSG_TRUNC);
	}
	return TURN_AGAIN;
}

/* A body of known length, or the rest of the connection, as a tunnel's. */
static enum turn pass_plain(struct cx_flow *flow, struct cx_tunnel *tunnel,
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
		return TURN_WAIT;
	case CX_PASSED_TURN:
		return TURN_AGAIN;
	case CX_PASSED_SLOW:
		return slow(flow, tunnel);
	case CX_PASSED_LEFT:
		return TURN_DONE;
	case CX_PASSED_END:
		if (!counted)
			return TURN_DONE;
		break;
	case CX_PASSED_SPENT:
	case CX_PASSED_BROKEN:
		break;
	}
	cx_farewell_reset(flow, tunnel);
	return TURN_GONE;
}

/* What a head left over goes first. */
static bool flush_held(struct cx_tunnel *tunnel, int way, struct cx_flow *flow,
                       enum turn *ret)
{
	struct cx_way *at = &tunnel->way[way];
	enum cx_passed passed;

	if (!at->held)
		return true;
	at->left = 0;
	passed = cx_ferry_pass(&flow->ferry, tunnel, way);
	at->left = UINT64_MAX;
	*ret = TURN_WAIT;
	if (passed == CX_PASSED_LEFT)
		return true;
	if (passed == CX_PASSED_BROKEN) {
		cx_farewell_reset(flow, tunnel);
		*ret = TURN_GONE;
	}
	return false;
}

static enum turn pass_body(struct cx_flow *flow, struct cx_tunnel *tunnel,
                           int way)
{
	struct cx_slot *slot = tunnel->slot;
	enum turn turn = TURN_DONE;

	if (!flush_held(tunnel, way, flow, &turn))
		return turn;
	if (slot->body[way] == BODY_DONE)
		return TURN_DONE;
	if (way == CX_UP && slot->at < slot->size) {
		turn = pass_early(flow, tunnel);
		if (turn != TURN_AGAIN)
			return turn;
	}
	return slot->body[way] == CX_HEAD_CHUNKED
	       ? pass_chunks(flow, tunnel, way)
	       : pass_plain(flow, tunnel, way);
}

/* ---- the answer ---------------------------------------------------------- */

static uint8_t body_of(const struct cx_head *head, bool is_head)
{
	if (is_head || head->status < 200 || head->status == 204 ||
	    head->status == 304)
		return BODY_DONE;
	if (head->body != CX_HEAD_EMPTY)
		return (uint8_t)head->body;
	return head->framing >= 0 ? BODY_DONE : BODY_UNTIL_END;
}

/* The whole head stands in data, and isn't taken out of the socket yet. */
static enum turn pass_head(struct cx_flow *flow, struct cx_tunnel *tunnel,
                           const char *data)
{
	struct cx_slot *slot = tunnel->slot;
	struct cx_head *head = &slot->head;
	uint8_t body = body_of(head, slot->is_head);
	bool interim = head->status < 200;
	char *word = second_half(flow);
	size_t size;

	slot->keep_origin = head->keep && body != BODY_UNTIL_END;
	if (body == BODY_UNTIL_END)
		slot->keep_client = false;
	size = cx_rewrite_reply(head, data, !interim && !slot->keep_client,
	                        word, 2 * CX_FERRY_READ_BYTES);
	if (head->status == 101 || size == 0 ||
	    !has_room(tunnel, CX_DOWN, size) ||
	    !send_head(flow, tunnel, CX_DOWN, word, size)) {
		cx_farewell_reset(flow, tunnel);
		return TURN_GONE;
	}
	recv(tunnel->end[CX_ORIGIN].fd, NULL, head->size, MSG_TRUNC);
	if (interim) {
		cx_head_begin_reply(head);
		return TURN_AGAIN;
	}
	slot->answers = true;
	slot->body[CX_DOWN] = body;
	slot->length[CX_DOWN] = head->length;
	slot->chunk[CX_DOWN] = (struct cx_chunk){ 0 };
	return TURN_DONE;
}

/* DONE: the answer has begun. */
static enum turn read_head(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_end *origin = &tunnel->end[CX_ORIGIN];
	struct cx_head *head = &tunnel->slot->head;
	char *data = flow->ferry.scratch;
	ssize_t n;

	if (!origin->readable)
		return TURN_WAIT;
	n = recv(origin->fd, data, CX_HEAD_MAX_BYTES + 1, MSG_PEEK);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		origin->readable = false;
		return TURN_WAIT;
	}
	if (n > 0)
		switch (cx_head_read(head, data, (size_t)n)) {
		case CX_HEAD_DONE:
			return pass_head(flow, tunnel, data);
		case CX_HEAD_MORE:
			origin->readable = false; /* an edge tells of more */
			return TURN_WAIT;
		case CX_HEAD_BAD:
			break;
		}
	cx_farewell_refuse(flow, tunnel, BAD_ANSWER, "upstream_unreachable");
	return TURN_GONE;
}

/* Both are through: the connection goes on, or ends. */
static void finish(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;

	if (!slot->keep_origin || !slot->asked)
		cx_fd_close_at(&tunnel->end[CX_ORIGIN].fd);
	if (slot->keep_client && slot->asked)
		cx_request_again(flow, tunnel);
	else
		cx_farewell_linger(flow, tunnel);
}

static enum turn turn_down(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	enum turn turn = TURN_DONE;

	while (!tunnel->slot->answers) {
		if (!flush_held(tunnel, CX_DOWN, flow, &turn))
			return turn;
		turn = read_head(flow, tunnel);
		if (turn == TURN_WAIT || turn == TURN_GONE)
			return turn;
	}
	return pass_body(flow, tunnel, CX_DOWN);
}

void cx_forward_turn(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	enum turn up = TURN_DONE;
	enum turn down;

	if (!tunnel->slot->asked)
		up = pass_body(flow, tunnel, CX_UP);
	if (up == TURN_GONE)
		return;
	if (up == TURN_DONE)
		tunnel->slot->asked = true;
	down = turn_down(flow, tunnel);
	if (down == TURN_GONE)
		return;
	if (down == TURN_DONE)
		finish(flow, tunnel);
	else if (up == TURN_AGAIN || down == TURN_AGAIN)
		cx_flow_ready(flow, tunnel);
}
