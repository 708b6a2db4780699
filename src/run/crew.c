/* crew.c - see crew.h. */
#include "run/crew.h"

#include "base/fd.h"
#include "base/mem.h"

static int hire(struct cx_crew *crew, size_t number, struct cx_err *err)
{
	struct cx_crew_member *member = &crew->member[number];

	cx_packet_inbox_done(&member->inbox);
	*member = (struct cx_crew_member){ .fd = -1 };
	return cx_steward_hire(&crew->steward, (int)number, &member->fd, err);
}

int cx_crew_start(struct cx_broker *broker, const struct cx_order_flags *flags,
                  size_t count, const struct cx_steward_charge *charge,
                  struct cx_crew *ret, struct cx_err *err)
{
	*ret = (struct cx_crew)CX_CREW_NONE;
	if (cx_steward_start(broker, flags, charge, &ret->steward, err) < 0)
		return -1;
	ret->limit = count;
	ret->count = count + (count < CX_CREW_SPARE ? count : CX_CREW_SPARE);
	ret->member = cx_mem_array(ret->count, sizeof *ret->member);
	for (size_t i = 0; i < ret->count; i++)
		ret->member[i].fd = -1; /* hired with the first work */
	return 0;
}

struct cx_crew_member *cx_crew_idle(struct cx_crew *crew, struct cx_err *err)
{
	struct cx_crew_member *best = NULL;

	if (crew->busy >= crew->limit)
		return NULL;
	for (size_t i = 0; i < crew->count; i++) {
		struct cx_crew_member *member = &crew->member[i];

		if (!member->ticket && (!best || member->since < best->since))
			best = member;
	}
	if (!best || (best->fd < 0 &&
	              hire(crew, (size_t)(best - crew->member), err) < 0))
		return NULL;
	return best;
}

int cx_crew_assign(struct cx_crew *crew, struct cx_crew_member *member,
                   struct cx_ticket *ticket, const struct cx_buf *order)
{
	if (cx_packet_send(member->fd, CX_HANDOVER_ORDER, order->data,
	                   order->size) < 0) {
		cx_fd_close_at(&member->fd);
		return -1;
	}
	member->ticket = ticket;
	member->cancelled = false;
	crew->busy++;
	return 0;
}

void cx_crew_cancel(struct cx_crew_member *member)
{
	if (!member->ticket || member->cancelled)
		return;
	member->cancelled = true;
	cx_packet_send(member->fd, CX_HANDOVER_CANCEL, NULL, 0);
}

struct cx_ticket *cx_crew_hear(struct cx_crew *crew,
                               struct cx_crew_member *member,
                               struct cx_handover_answer *ret_answer,
                               const char **ret_line, size_t *ret_size)
{
	const struct cx_buf *body = &member->inbox.body;
	int got = cx_packet_poll(member->fd, &member->inbox);
	struct cx_ticket *ticket = member->ticket;

	*ret_line = NULL;
	if (got == 0)
		return NULL;
	if (got > 0 && body->size >= sizeof *ret_answer) {
		memcpy(ret_answer, body->data, sizeof *ret_answer);
		*ret_line = body->data + sizeof *ret_answer;
		*ret_size = body->size - sizeof *ret_answer;
	} else {
		cx_fd_close_at(&member->fd);
	}
	member->ticket = NULL;
	member->since = ++crew->answers;
	if (ticket)
		crew->busy--;
	return ticket;
}

void cx_crew_done(struct cx_crew *crew)
{
	for (size_t i = 0; i < crew->count; i++) {
		cx_fd_close_at(&crew->member[i].fd);
		cx_packet_inbox_done(&crew->member[i].inbox);
	}
	cx_steward_done(&crew->steward, crew->busy == 0);
	free(crew->member);
	crew->member = NULL;
	crew->count = 0;
}
