/* flow.c - see flow.h. */
#include "gateway/flow.h"

#include <sys/epoll.h>

#include "base/clock.h"
#include "gateway/farewell.h"
#include "gateway/entrance.h"
#include "gateway/forward.h"
#include "gateway/request.h"

enum {
	EVENTS = 256,
	NUMBER_BITS = 24,
	NUMBER_MASK = (1 << NUMBER_BITS) - 1,
	FIRST_ATTEMPT = 2,
	IDLE_STEP_MS = 1000,
};

/* Milliseconds. */
static const int64_t span_ms[CX_WAIT_COUNT] = {
	[CX_WAIT_HEAD] = 10000,
	[CX_WAIT_KEPT] = 60000,
	[CX_WAIT_ATTEMPT] = 250,
	[CX_WAIT_IDLE] = 600000,
	[CX_WAIT_SLOW] = 5,
	[CX_WAIT_LINGER] = 2000,
};

static uint64_t pack(struct cx_flow_tag tag)
{
	return (uint64_t)tag.kind << 56 |
	       (uint64_t)(tag.generation & NUMBER_MASK) << 32 |
	       (uint64_t)tag.part << NUMBER_BITS | (tag.number & NUMBER_MASK);
}

static struct cx_flow_tag unpack(uint64_t word)
{
	return (struct cx_flow_tag){
		.kind = (enum cx_flow_kind)(word >> 56),
		.generation = (uint32_t)(word >> 32) & NUMBER_MASK,
		.part = (uint8_t)(word >> NUMBER_BITS),
		.number = (uint32_t)word & NUMBER_MASK,
	};
}

static int control(struct cx_flow *flow, int operation, int fd,
                   uint32_t events, struct cx_flow_tag tag)
{
	struct epoll_event event = {
		.events = events, .data.u64 = pack(tag),
	};

	return epoll_ctl(flow->epoll_fd, operation, fd, &event);
}

int cx_flow_watch(struct cx_flow *flow, int fd, uint32_t events,
                  struct cx_flow_tag tag)
{
	return control(flow, EPOLL_CTL_ADD, fd, events, tag);
}

int cx_flow_rewatch(struct cx_flow *flow, int fd, uint32_t events,
                    struct cx_flow_tag tag)
{
	return control(flow, EPOLL_CTL_MOD, fd, events, tag);
}

int cx_flow_watch_end(struct cx_flow *flow, struct cx_tunnel *tunnel, int end)
{
	return cx_flow_watch(flow, tunnel->end[end].fd,
	                     EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
	                     (struct cx_flow_tag){
		.kind = CX_FLOW_TUNNEL, .part = (uint8_t)end,
		.number = cx_tunnel_number(&flow->tunnels, tunnel),
		.generation = tunnel->generation,
	});
}

/* ---- who is to be served ------------------------------------------------- */

void cx_flow_ready(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_job *job = tunnel->job;

	if (tunnel->is_ready)
		return;
	tunnel->is_ready = true;
	tunnel->ready_next = NULL;
	if (job->ready)
		job->ready_last->ready_next = tunnel;
	else
		job->ready = tunnel;
	job->ready_last = tunnel;
	if (job->is_ready)
		return;
	job->is_ready = true;
	job->ready_job = NULL;
	if (flow->ready)
		flow->ready_last->ready_job = job;
	else
		flow->ready = job;
	flow->ready_last = job;
}

void cx_flow_unready(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_job *job = tunnel->job;
	struct cx_tunnel *before = NULL;

	(void)flow; /* a job without any is passed over in its turn */
	if (!tunnel->is_ready)
		return;
	for (struct cx_tunnel *at = job->ready; at; at = at->ready_next) {
		if (at == tunnel)
			break;
		before = at;
	}
	if (before)
		before->ready_next = tunnel->ready_next;
	else
		job->ready = tunnel->ready_next;
	if (job->ready_last == tunnel)
		job->ready_last = before;
	tunnel->is_ready = false;
}

/* ---- tunnels ------------------------------------------------------------- */

/* It moved: its time begins anew, at most once a second. */
static void touch(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	if (tunnel->wait == CX_WAIT_IDLE &&
	    tunnel->until_ms - span_ms[CX_WAIT_IDLE] + IDLE_STEP_MS <
	    flow->clockwork.now_ms)
		cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_IDLE);
}

static void relay_turn(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	int seen[CX_PASSED_BROKEN + 1] = { 0 };
	bool judged = tunnel->state == CX_TUNNEL_RELAY;

	touch(flow, tunnel);
	for (int way = judged ? CX_UP : CX_DOWN; way < CX_WAYS; way++)
		seen[cx_ferry_pass(&flow->ferry, tunnel, way)]++;
	if (seen[CX_PASSED_BROKEN] || (seen[CX_PASSED_SPENT] && !judged)) {
		cx_farewell_reset(flow, tunnel);
	} else if (seen[CX_PASSED_SPENT]) {
		cx_farewell_overdrawn(tunnel);
		cx_flow_ready(flow, tunnel);
	} else if (seen[CX_PASSED_LEFT] == CX_WAYS) {
		cx_farewell_spent(flow, tunnel);
	} else if (seen[CX_PASSED_END] == CX_WAYS) {
		cx_farewell_close(flow, tunnel);
	} else if (seen[CX_PASSED_TURN]) {
		cx_flow_ready(flow, tunnel);
	} else if (seen[CX_PASSED_SLOW]) {
		cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_SLOW);
	}
}

static void serve(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	switch (tunnel->state) {
	case CX_TUNNEL_RELAY:
	case CX_TUNNEL_PREFACE:
		relay_turn(flow, tunnel);
		break;
	case CX_TUNNEL_FORWARD:
		touch(flow, tunnel);
		cx_forward_turn(flow, tunnel);
		break;
	case CX_TUNNEL_SPENT:
		cx_farewell_spent(flow, tunnel);
		break;
	case CX_TUNNEL_FREE:
	case CX_TUNNEL_HEAD:
	case CX_TUNNEL_RESOLVE:
	case CX_TUNNEL_DIAL:
	case CX_TUNNEL_ASK:
	case CX_TUNNEL_LINGER:
		break;
	}
}

/* Each job that has something to be done, once: one of its tunnels. */
static void serve_ready(struct cx_flow *flow)
{
	struct cx_job *last = flow->ready_last;

	while (flow->ready) {
		struct cx_job *job = flow->ready;
		struct cx_tunnel *tunnel = job->ready;

		flow->ready = job->ready_job;
		job->is_ready = false;
		if (tunnel) {
			job->ready = tunnel->ready_next;
			tunnel->is_ready = false;
			if (job->ready && !job->is_ready) {
				job->is_ready = true;
				job->ready_job = NULL;
				if (flow->ready)
					flow->ready_last->ready_job = job;
				else
					flow->ready = job;
				flow->ready_last = job;
			}
			serve(flow, tunnel);
		}
		if (job == last)
			break;
	}
}

static void wake(struct cx_flow *flow, struct cx_tunnel *tunnel,
                 unsigned part, uint32_t events)
{
	struct cx_end *end = &tunnel->end[part];

	if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		end->readable = true;
	if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		end->hung = true;
	if (events & (EPOLLRDHUP | EPOLLHUP))
		end->hung_up = true;
	if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
		end->writable = true;
	switch (tunnel->state) {
	case CX_TUNNEL_HEAD:
		if (part == CX_CLIENT && end->readable)
			cx_request_read(flow, tunnel);
		break;
	case CX_TUNNEL_PREFACE:
		cx_flow_ready(flow, tunnel);
		if (part == CX_CLIENT && end->readable)
			cx_request_preface(flow, tunnel);
		break;
	case CX_TUNNEL_RELAY:
	case CX_TUNNEL_FORWARD:
		cx_flow_ready(flow, tunnel);
		break;
	case CX_TUNNEL_ASK:
		cx_entrance_ask(flow, tunnel);
		break;
	case CX_TUNNEL_LINGER:
		cx_farewell_drain(flow, tunnel);
		break;
	case CX_TUNNEL_RESOLVE:
	case CX_TUNNEL_DIAL:
		if (part == CX_CLIENT && events & (EPOLLHUP | EPOLLERR))
			cx_farewell_close(flow, tunnel);
		break;
	case CX_TUNNEL_SPENT:
	case CX_TUNNEL_FREE:
		break;
	}
}

static void event_of_tunnel(struct cx_flow *flow, struct cx_flow_tag tag,
                            uint32_t events)
{
	struct cx_tunnel *tunnel = &flow->tunnels.tunnel[tag.number];

	if (tunnel->state == CX_TUNNEL_FREE ||
	    (tunnel->generation & NUMBER_MASK) != tag.generation)
		return;
	if (tag.part < FIRST_ATTEMPT)
		wake(flow, tunnel, tag.part, events);
	else if (tunnel->state == CX_TUNNEL_DIAL &&
	         events & (EPOLLOUT | EPOLLERR | EPOLLHUP))
		cx_request_dialled(flow, tunnel, tag.part - FIRST_ATTEMPT);
}

static void time_is_over(struct cx_flow *flow, struct cx_tunnel *tunnel,
                         enum cx_wait wait)
{
	switch (wait) {
	case CX_WAIT_HEAD:
		if (tunnel->job)
			tunnel->job->denied++;
		cx_farewell_refuse(flow, tunnel, 408, "header_timeout");
		break;
	case CX_WAIT_ATTEMPT:
		cx_request_dialled(flow, tunnel, -1);
		break;
	case CX_WAIT_SLOW:
		cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_IDLE);
		cx_flow_ready(flow, tunnel);
		break;
	case CX_WAIT_IDLE:
		cx_farewell_reset(flow, tunnel);
		break;
	case CX_WAIT_KEPT:
	case CX_WAIT_LINGER:
		cx_farewell_close(flow, tunnel);
		break;
	case CX_WAIT_NONE:
	case CX_WAIT_COUNT:
		break;
	}
}

/* ---- the turn ------------------------------------------------------------ */

static struct cx_job_listener *listener_of(struct cx_flow *flow,
                                           struct cx_flow_tag tag)
{
	struct cx_job *job;

	if (tag.number == CX_JOB_MAX)
		return tag.part < flow->jobs.shareds
		       ? &flow->jobs.shared[tag.part] : NULL;
	job = &flow->jobs.job[tag.number];
	if ((job->generation & NUMBER_MASK) != tag.generation ||
	    tag.part >= job->listeners)
		return NULL;
	return &job->listener[tag.part];
}

static void dispatch(struct cx_flow *flow, const struct epoll_event *event,
                     cx_flow_other *other, void *context)
{
	struct cx_flow_tag tag = unpack(event->data.u64);
	struct cx_job_listener *listener;

	switch (tag.kind) {
	case CX_FLOW_TUNNEL:
		event_of_tunnel(flow, tag, event->events);
		break;
	case CX_FLOW_LISTENER:
		listener = listener_of(flow, tag);
		if (listener && listener->fd >= 0)
			cx_entrance_serve(flow, listener);
		break;
	case CX_FLOW_RESOLVER:
		cx_resolve_turn(&flow->resolve, (int)tag.number,
		                event->events & (EPOLLIN | EPOLLERR |
		                                 EPOLLHUP),
		                event->events & EPOLLOUT);
		break;
	case CX_FLOW_CONTROL:
	case CX_FLOW_DOOR:
	case CX_FLOW_SIGNAL:
		other(context, tag);
		break;
	}
}

void cx_flow_look_at_clock(struct cx_flow *flow)
{
	flow->ferry.now_us = cx_clock_mono_us();
	flow->clockwork.now_ms = flow->ferry.now_us / 1000;
	flow->clockwork.span_ms = span_ms;
}

static int pause_of(struct cx_flow *flow, int most_ms)
{
	int pause = cx_clockwork_pause(&flow->clockwork);

	if (flow->ready)
		return 0;
	if (pause < 0 || (most_ms >= 0 && most_ms < pause))
		pause = most_ms;
	return cx_resolve_pause(&flow->resolve, pause);
}

void cx_flow_turn(struct cx_flow *flow, int most_ms, cx_flow_other *other,
                  void *context)
{
	struct epoll_event event[EVENTS];
	struct cx_tunnel *tunnel;
	enum cx_wait wait;
	int count = epoll_wait(flow->epoll_fd, event, EVENTS,
	                       pause_of(flow, most_ms));

	cx_flow_look_at_clock(flow);
	for (int i = 0; i < count; i++)
		dispatch(flow, &event[i], other, context);
	serve_ready(flow);
	while ((tunnel = cx_clockwork_next(&flow->clockwork, &wait)))
		time_is_over(flow, tunnel, wait);
	cx_resolve_turn(&flow->resolve, -1, false, false);
}
