/* request.c - see request.h. */
#include "gateway/request.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "gateway/dial.h"
#include "gateway/entrance.h"
#include "gateway/farewell.h"
#include "gateway/forward.h"
#include "gateway/preface.h"
#include "gateway/visit.h"
#include "model/credential.h"

enum {
	PORT_HTTP = 80,
	FULL = 503,
	UNREACHABLE = 502,
	REFUSED_MAX = 8, /* requests of a connection, one after the other */
};

static void begin_head(struct cx_tunnel *tunnel)
{
	if (tunnel->direct)
		cx_head_begin_direct(&tunnel->slot->head);
	else
		cx_head_begin(&tunnel->slot->head);
	tunnel->state = CX_TUNNEL_HEAD;
}

/* Where bytes stand behind what was used up, they come to the front. */
static void move_up(struct cx_slot *slot)
{
	slot->size -= slot->at;
	memmove(slot->data, slot->data + slot->at, slot->size);
	slot->at = 0;
}

/* Reads what there is behind what stands in the slot. false: there is nothing
 * more for now, or the client is gone (then it is closed). */
static bool read_more(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_end *client = &tunnel->end[CX_CLIENT];
	ssize_t n = cx_slots_receive(&flow->slots, tunnel->slot, client->fd);

	if (n > 0)
		return true;
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		client->readable = false;
		return false;
	}
	cx_farewell_close(flow, tunnel);
	return false;
}

/* Nothing of the request but its head has come or is to come, and the client
 * asked a proxy: it may ask for something else (git repeats a request with its
 * credential on the connection that had a 407). */
static bool may_ask_again(const struct cx_tunnel *tunnel,
                          const struct cx_judgement *judgement)
{
	const struct cx_slot *slot = tunnel->slot;

	return judgement->outcome == CX_OUTCOME_DENY && slot &&
	       tunnel->refused < REFUSED_MAX && !tunnel->transparent &&
	       !tunnel->direct && !tunnel->tunnels &&
	       slot->head.state == CX_HEAD_DONE && slot->head.keep &&
	       slot->head.body == CX_HEAD_EMPTY &&
	       !cx_head_is(slot->data, slot->head.method, "HEAD");
}

static void deny(struct cx_flow *flow, struct cx_tunnel *tunnel,
                 const struct cx_judgement *judgement)
{
	if (!may_ask_again(tunnel, judgement)) {
		cx_farewell_deny(flow, tunnel, judgement);
	} else if (!cx_farewell_answer(flow, tunnel, judgement)) {
		cx_farewell_close(flow, tunnel);
	} else {
		tunnel->refused++;
		cx_request_again(flow, tunnel);
	}
}

static void reach(struct cx_flow *flow, struct cx_tunnel *tunnel,
                  enum cx_dialled dialled);

static void dial(struct cx_flow *flow, struct cx_tunnel *tunnel,
                 const struct cx_judgement *judgement)
{
	struct cx_slot *slot = tunnel->slot;

	slot->pins = judgement->pinned;
	memcpy(slot->pin, judgement->pin, sizeof slot->pin);
	tunnel->state = CX_TUNNEL_DIAL;
	cx_visit_judge(flow, tunnel, judgement);
	reach(flow, tunnel, cx_dial_begin(flow, tunnel));
}

/* What was judged so far says: on, to the name or the address. */
static void proceed(struct cx_flow *flow, struct cx_tunnel *tunnel,
                    const struct cx_judgement *judgement)
{
	if (judgement->outcome == CX_OUTCOME_DENY ||
	    judgement->outcome == CX_OUTCOME_REJECT) {
		deny(flow, tunnel, judgement);
		return;
	}
	cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_IDLE);
	if (cx_dial_is_kept(flow, tunnel)) {
		cx_visit_judge(flow, tunnel, judgement);
		cx_visit_reach(tunnel);
		cx_forward_begin(flow, tunnel);
		return;
	}
	if (judgement->outcome == CX_OUTCOME_ALLOW) {
		dial(flow, tunnel, judgement);
		return;
	}
	tunnel->state = CX_TUNNEL_RESOLVE;
	cx_resolve_ask(&flow->resolve, tunnel);
}

/* Hangs it on the job that its listener or token names. false: it was
 * answered. */
static bool attribute(struct cx_flow *flow, struct cx_tunnel *tunnel,
                      const char *token)
{
	struct cx_judgement judgement;
	struct cx_job *job;
	enum cx_attribution attribution;

	if (tunnel->direct && tunnel->job)
		token = tunnel->job->token; /* it was shown outside */
	attribution = cx_job_attribute(&flow->jobs, tunnel->listener, token,
	                               cx_clock_wall_ms() / 1000, &job);
	if (attribution == CX_ATTRIBUTION_JOB && tunnel->job &&
	    tunnel->job != job)
		attribution = CX_ATTRIBUTION_MISMATCH;
	if (!tunnel->job && attribution == CX_ATTRIBUTION_JOB) {
		if (!cx_entrance_has_room(flow, job)) {
			cx_farewell_refuse(flow, tunnel, FULL, "full");
			return false;
		}
		cx_tunnel_hang(tunnel, job);
	}
	cx_decide_job(attribution, job ? &job->policy : NULL,
	              job && cx_job_is_spent(job), &judgement);
	if (judgement.outcome == CX_OUTCOME_RESOLVE)
		return true;
	if (job && !tunnel->job) {
		job->denied++;
		cx_visit_blame(tunnel, job);
	}
	deny(flow, tunnel, &judgement);
	return false;
}

static void judge(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	const struct cx_head *head = &slot->head;
	char token[CX_CREDENTIAL_TOKEN_BYTES];
	bool given = !tunnel->direct &&
	             cx_credential_read(head, slot->data, token);
	struct cx_judgement judgement;

	cx_visit_begin(flow, tunnel, slot->data + head->authority.at,
	               head->authority.size);
	if (head->body == CX_HEAD_CHUNKED &&
	    !cx_chunk_may_begin(slot->data + slot->at, slot->size - slot->at)) {
		cx_farewell_refuse(flow, tunnel, 400, "ambiguous_framing");
		return;
	}
	if (!attribute(flow, tunnel, given ? token : NULL))
		return;
	cx_decide_target(&tunnel->job->policy,
	                 slot->data + head->authority.at, head->authority.size,
	                 head->form == CX_HEAD_ABSOLUTE ? PORT_HTTP : 0,
	                 &slot->target, &judgement);
	if (judgement.outcome != CX_OUTCOME_REJECT)
		cx_visit_name(tunnel);
	if (tunnel->direct && judgement.status != 400 &&
	    slot->target.port != PORT_HTTP)
		judgement = (struct cx_judgement){
			.outcome = CX_OUTCOME_DENY, .status = 403,
			.reason = "denied_port",
		};
	proceed(flow, tunnel, &judgement);
}

void cx_request_read(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	struct cx_head *head = &slot->head;

	for (;;) {
		if (slot->size > 0 && tunnel->wait == CX_WAIT_KEPT)
			cx_clockwork_wait(&flow->clockwork, tunnel,
			                  CX_WAIT_HEAD);
		switch (cx_head_read(head, slot->data, slot->size)) {
		case CX_HEAD_DONE:
			slot->at = head->size;
			judge(flow, tunnel);
			return;
		case CX_HEAD_BAD:
			if (tunnel->job)
				tunnel->job->denied++;
			cx_farewell_refuse(flow, tunnel, head->status,
			                 head->reason);
			return;
		case CX_HEAD_MORE:
			break;
		}
		if (!read_more(flow, tunnel))
			return;
	}
}

void cx_request_again(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	tunnel->kept = true;
	cx_visit_end(flow, tunnel);
	move_up(tunnel->slot);
	begin_head(tunnel);
	cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_KEPT);
	cx_request_read(flow, tunnel);
}

void cx_request_arrive(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_judgement judgement;

	cx_visit_begin(flow, tunnel, NULL, 0);
	cx_visit_name(tunnel);
	if (!attribute(flow, tunnel, NULL))
		return;
	cx_decide_known(&tunnel->job->policy, &tunnel->slot->target,
	                &judgement);
	if (judgement.outcome != CX_OUTCOME_DENY &&
	    cx_preface_begin(&tunnel->job->policy, &tunnel->slot->target) ==
	    CX_PREFACE_HTTP) {
		tunnel->direct = true;
		begin_head(tunnel);
		cx_request_read(flow, tunnel);
		return;
	}
	proceed(flow, tunnel, &judgement);
}

void cx_request_told(struct cx_flow *flow, struct cx_tunnel *tunnel,
                     enum cx_lookup lookup, const struct cx_addr *answer,
                     size_t answers)
{
	struct cx_judgement judgement;

	cx_decide_answers(&tunnel->job->policy, &tunnel->slot->target, lookup,
	                  answer, answers, &judgement);
	if (judgement.outcome == CX_OUTCOME_ALLOW)
		dial(flow, tunnel, &judgement);
	else
		deny(flow, tunnel, &judgement);
}

void cx_request_open(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	size_t early = slot->size - slot->at;
	bool too_much = early > cx_job_left_up(tunnel->job);

	if (!cx_ferry_hold(&flow->ferry, tunnel, CX_UP, slot->data + slot->at,
	                   early)) {
		cx_farewell_reset(flow, tunnel);
		return;
	}
	if (too_much)
		cx_farewell_overdrawn(tunnel);
	cx_slots_give(&flow->slots, slot);
	tunnel->slot = NULL;
	tunnel->state = CX_TUNNEL_RELAY;
	cx_flow_ready(flow, tunnel);
}

void cx_request_preface(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	struct cx_judgement judgement;

	do {
		if (slot->size == 0)
			continue;
		switch (cx_preface_judge(&tunnel->job->policy, &slot->target,
		                         (const uint8_t *)slot->data,
		                         slot->size, &judgement)) {
		case CX_PREFACE_PASS:
		case CX_PREFACE_HTTP:
			cx_request_open(flow, tunnel);
			return;
		case CX_PREFACE_CLOSE:
			cx_farewell_deny(flow, tunnel, &judgement);
			return;
		case CX_PREFACE_HOLD:
			break;
		}
	} while (read_more(flow, tunnel));
}

/* A tunnel's origin is there, and was said to be. */
static void begin_tunnel(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	move_up(tunnel->slot);
	switch (cx_preface_begin(&tunnel->job->policy,
	                         &tunnel->slot->target)) {
	case CX_PREFACE_PASS:
		cx_request_open(flow, tunnel);
		break;
	case CX_PREFACE_HTTP:
		tunnel->direct = true;
		tunnel->tunnels = false;
		begin_head(tunnel);
		cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_HEAD);
		cx_request_read(flow, tunnel);
		break;
	case CX_PREFACE_HOLD:
		tunnel->state = CX_TUNNEL_PREFACE;
		cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_HEAD);
		cx_flow_ready(flow, tunnel);
		cx_request_preface(flow, tunnel);
		break;
	case CX_PREFACE_CLOSE:
		cx_farewell_reset(flow, tunnel);
		break;
	}
}

static void connected(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	static const char word[] =
		"HTTP/1.1 200 Connection established\r\n\r\n";
	const ssize_t size = sizeof word - 1;

	cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_IDLE);
	cx_visit_reach(tunnel);
	if (tunnel->transparent && !tunnel->direct) {
		begin_tunnel(flow, tunnel);
		return;
	}
	if (tunnel->slot->head.form != CX_HEAD_AUTHORITY) {
		cx_forward_begin(flow, tunnel);
		return;
	}
	tunnel->tunnels = true;
	if (send(tunnel->end[CX_CLIENT].fd, word, (size_t)size,
	         MSG_NOSIGNAL) == size)
		begin_tunnel(flow, tunnel);
	else
		cx_farewell_reset(flow, tunnel);
}

static void reach(struct cx_flow *flow, struct cx_tunnel *tunnel,
                  enum cx_dialled dialled)
{
	if (dialled == CX_DIAL_DONE)
		connected(flow, tunnel);
	else if (dialled == CX_DIAL_FULL)
		cx_farewell_refuse(flow, tunnel, FULL, "full");
	else if (dialled == CX_DIAL_FAILED)
		cx_farewell_refuse(flow, tunnel, UNREACHABLE,
		                   "upstream_unreachable");
}

void cx_request_dialled(struct cx_flow *flow, struct cx_tunnel *tunnel,
                        int attempt)
{
	reach(flow, tunnel, attempt < 0
	      ? cx_dial_tick(flow, tunnel)
	      : cx_dial_event(flow, tunnel, (unsigned)attempt));
}
