/* forward.c - see forward.h. */
#include "gateway/forward.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/promise.h"
#include "gateway/body.h"
#include "gateway/farewell.h"
#include "gateway/request.h"
#include "model/rewrite.h"
#include "model/upgrade.h"

enum {
	SWITCHING = 101,
	BAD_ANSWER = 502,
	FORBIDDEN = 403,
	INTERIM_MAX = 16, /* answers before the answer */
	HALF_BYTES = 2 * CX_FERRY_READ_BYTES,
};

static char *second_half(struct cx_flow *flow)
{
	return flow->ferry.scratch + HALF_BYTES;
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
	                              !head->keep, word, HALF_BYTES);

	if (!has_room(tunnel, CX_UP, size)) {
		tunnel->job->denied++;
		cx_farewell_refuse(flow, tunnel, FORBIDDEN,
		                 "byte_quota_exceeded");
		return;
	}
	slot->upgrades = cx_upgrade_asks(head, slot->data);
	slot->is_head = cx_head_is(slot->data, head->method, "HEAD");
	slot->keep_client = head->keep;
	slot->body[CX_UP] = (uint8_t)(head->body == CX_HEAD_EMPTY ? CX_BODY_DONE
	                                                          : head->body);
	slot->length[CX_UP] = head->length;
	slot->chunk[CX_UP] = (struct cx_chunk){ 0 };
	slot->answers = false;
	slot->asked = false;
	slot->interim = 0;
	tunnel->state = CX_TUNNEL_FORWARD;
	cx_head_begin_reply(head);
	if (send_head(flow, tunnel, CX_UP, word, size))
		cx_flow_ready(flow, tunnel);
	else
		cx_farewell_refuse(flow, tunnel, BAD_ANSWER,
		                 "upstream_unreachable");
}

static uint8_t body_of(const struct cx_head *head, bool is_head)
{
	if (is_head || head->status < 200 || head->status == 204 ||
	    head->status == 304)
		return CX_BODY_DONE;
	if (head->body != CX_HEAD_EMPTY)
		return (uint8_t)head->body;
	return head->framing >= 0 ? CX_BODY_DONE : CX_BODY_UNTIL_END;
}

static enum cx_body_turn refuse_answer(struct cx_flow *flow,
                                       struct cx_tunnel *tunnel)
{
	cx_farewell_refuse(flow, tunnel, BAD_ANSWER, "upstream_unreachable");
	return CX_BODY_GONE;
}

/* What stands in the socket is no whole head, and nothing follows. */
static bool is_cut(const struct cx_end *origin, char *data, ssize_t size)
{
	return origin->hung && recv(origin->fd, data, CX_HEAD_MAX_BYTES + 1,
	                            MSG_PEEK) == size;
}

/* The answer says that it is a WebSocket from here on: a tunnel, if that was
 * asked for, and all of it was passed on. */
static enum cx_body_turn become(struct cx_flow *flow, struct cx_tunnel *tunnel,
                                const char *data)
{
	struct cx_head *head = &tunnel->slot->head;
	char *word = second_half(flow);
	size_t size = cx_rewrite_reply(head, data, false, word, HALF_BYTES);

	if (!CX_PROMISE(upgrade_asked, tunnel->slot->upgrades &&
	                cx_upgrade_grants(head, data)) ||
	    !tunnel->slot->asked || tunnel->way[CX_UP].held || size == 0 ||
	    !has_room(tunnel, CX_DOWN, size) ||
	    !send_head(flow, tunnel, CX_DOWN, word, size)) {
		cx_farewell_reset(flow, tunnel);
		return CX_BODY_GONE;
	}
	recv(tunnel->end[CX_ORIGIN].fd, NULL, head->size, MSG_TRUNC);
	cx_request_open(flow, tunnel);
	return CX_BODY_GONE;
}

/* The whole head stands in data, and isn't taken out of the socket yet. */
static enum cx_body_turn pass_head(struct cx_flow *flow,
                                   struct cx_tunnel *tunnel,
                                   const char *data)
{
	struct cx_slot *slot = tunnel->slot;
	struct cx_head *head = &slot->head;
	uint8_t body = body_of(head, slot->is_head);
	bool interim = head->status < 200;
	char *word = second_half(flow);
	size_t size;

	if (head->status == SWITCHING)
		return become(flow, tunnel, data);
	if (interim && ++slot->interim > INTERIM_MAX)
		return refuse_answer(flow, tunnel);
	slot->keep_origin = head->keep && body != CX_BODY_UNTIL_END;
	if (body == CX_BODY_UNTIL_END)
		slot->keep_client = false;
	size = cx_rewrite_reply(head, data, !interim && !slot->keep_client,
	                        word, HALF_BYTES);
	if (size == 0 || !has_room(tunnel, CX_DOWN, size) ||
	    !send_head(flow, tunnel, CX_DOWN, word, size)) {
		cx_farewell_reset(flow, tunnel);
		return CX_BODY_GONE;
	}
	recv(tunnel->end[CX_ORIGIN].fd, NULL, head->size, MSG_TRUNC);
	if (interim) {
		cx_head_begin_reply(head);
		return CX_BODY_AGAIN;
	}
	slot->answers = true;
	slot->body[CX_DOWN] = body;
	slot->length[CX_DOWN] = head->length;
	slot->chunk[CX_DOWN] = (struct cx_chunk){ 0 };
	return CX_BODY_THROUGH;
}

/* DONE: the answer has begun. */
static enum cx_body_turn read_head(struct cx_flow *flow,
                                   struct cx_tunnel *tunnel)
{
	struct cx_end *origin = &tunnel->end[CX_ORIGIN];
	struct cx_head *head = &tunnel->slot->head;
	char *data = flow->ferry.scratch;
	ssize_t n;

	if (!origin->readable)
		return CX_BODY_WAIT;
	n = recv(origin->fd, data, CX_HEAD_MAX_BYTES + 1, MSG_PEEK);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		origin->readable = false;
		return CX_BODY_WAIT;
	}
	if (n > 0)
		switch (cx_head_read(head, data, (size_t)n)) {
		case CX_HEAD_DONE:
			return pass_head(flow, tunnel, data);
		case CX_HEAD_MORE:
			if (is_cut(origin, data, n))
				break;
			origin->readable = false; /* an edge tells of more */
			return CX_BODY_WAIT;
		case CX_HEAD_BAD:
			break;
		}
	return refuse_answer(flow, tunnel);
}

/* Both are through: the connection goes on, or ends. */
static void finish(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;

	if (!slot->keep_origin || !slot->asked)
		cx_tunnel_part(&flow->tunnels, tunnel);
	if (slot->keep_client && slot->asked)
		cx_request_again(flow, tunnel);
	else
		cx_farewell_linger(flow, tunnel);
}

static enum cx_body_turn turn_down(struct cx_flow *flow,
                                   struct cx_tunnel *tunnel)
{
	enum cx_body_turn turn;

	while (!tunnel->slot->answers) {
		turn = cx_body_flush(flow, tunnel, CX_DOWN);
		if (turn == CX_BODY_THROUGH)
			turn = read_head(flow, tunnel);
		if (turn == CX_BODY_WAIT || turn == CX_BODY_GONE)
			return turn;
	}
	return cx_body_pass(flow, tunnel, CX_DOWN);
}

void cx_forward_turn(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	enum cx_body_turn up = CX_BODY_THROUGH;
	enum cx_body_turn down;

	if (!tunnel->slot->asked)
		up = cx_body_pass(flow, tunnel, CX_UP);
	if (up == CX_BODY_GONE)
		return;
	if (up == CX_BODY_THROUGH)
		tunnel->slot->asked = true;
	down = turn_down(flow, tunnel);
	if (down == CX_BODY_GONE)
		return;
	if (down == CX_BODY_THROUGH)
		finish(flow, tunnel);
	else if (up == CX_BODY_AGAIN || down == CX_BODY_AGAIN)
		cx_flow_ready(flow, tunnel);
}
