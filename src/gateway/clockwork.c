/* clockwork.c - see clockwork.h. */
#include "gateway/clockwork.h"

static void take_off(struct cx_clockwork *clockwork, struct cx_tunnel *tunnel)
{
	enum cx_wait wait = tunnel->wait;

	if (wait == CX_WAIT_NONE)
		return;
	if (tunnel->wait_previous)
		tunnel->wait_previous->wait_next = tunnel->wait_next;
	else
		clockwork->first[wait] = tunnel->wait_next;
	if (tunnel->wait_next)
		tunnel->wait_next->wait_previous = tunnel->wait_previous;
	else
		clockwork->last[wait] = tunnel->wait_previous;
	tunnel->wait = CX_WAIT_NONE;
}

void cx_clockwork_wait(struct cx_clockwork *clockwork,
                       struct cx_tunnel *tunnel, enum cx_wait wait)
{
	take_off(clockwork, tunnel);
	if (wait == CX_WAIT_NONE)
		return;
	tunnel->wait = wait;
	tunnel->until_ms = clockwork->now_ms + clockwork->span_ms[wait];
	tunnel->wait_next = NULL;
	tunnel->wait_previous = clockwork->last[wait];
	if (clockwork->last[wait])
		clockwork->last[wait]->wait_next = tunnel;
	else
		clockwork->first[wait] = tunnel;
	clockwork->last[wait] = tunnel;
}

struct cx_tunnel *cx_clockwork_next(struct cx_clockwork *clockwork,
                                    enum cx_wait *ret_wait)
{
	for (int wait = 0; wait < CX_WAIT_COUNT; wait++) {
		struct cx_tunnel *tunnel = clockwork->first[wait];

		if (!tunnel || tunnel->until_ms > clockwork->now_ms)
			continue;
		*ret_wait = (enum cx_wait)wait;
		take_off(clockwork, tunnel);
		return tunnel;
	}
	return NULL;
}

int cx_clockwork_pause(const struct cx_clockwork *clockwork)
{
	int64_t pause = -1;

	for (int wait = 0; wait < CX_WAIT_COUNT; wait++) {
		const struct cx_tunnel *tunnel = clockwork->first[wait];
		int64_t left;

		if (!tunnel)
			continue;
		left = tunnel->until_ms - clockwork->now_ms;
		if (left < 0)
			left = 0;
		if (pause < 0 || left < pause)
			pause = left;
	}
	return (int)pause;
}
