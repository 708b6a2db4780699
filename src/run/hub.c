/* hub.c - see hub.h. */
#include "run/hub.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "data/answer.h"
#include "run/begun.h"
#include "run/exec.h"

enum {
	FAREWELL_US = 5 * 1000 * 1000, /* for a slow reader at the end */
	LOOK_MS = 500,
};

int cx_hub_start(struct cx_broker *broker, const struct cx_order_flags *flags,
                 size_t workers, const struct cx_steward_charge *charge,
                 struct cx_hub *ret, struct cx_err *err)
{
	struct cx_err ignored;

	*ret = (struct cx_hub){
		.broker = broker, .flags = flags, .crew = CX_CREW_NONE,
		.listen_fd = -1, .signal_fd = -1, .guests_max = 1,
	};
	/* workers inherit it; where it can't be had, each document is told */
	cx_broker_need_image(broker, &ignored);
	if (cx_crew_start(broker, flags, workers, charge, &ret->crew, err) < 0)
		return -1;
	ret->guest = cx_mem_array(CX_HUB_GUESTS_MAX, sizeof *ret->guest);
	ret->signal_fd = cx_interrupt_fd();
	if (ret->signal_fd < 0)
		return cx_err_sys(err, CX_E_INTERNAL, "wait for signals");
	cx_begun_sweep(broker);
	return 0;
}

void cx_hub_add(struct cx_hub *hub, struct cx_guest *guest)
{
	hub->guest[hub->guest_count++] = guest;
}

static void tell(struct cx_hub *hub, const struct cx_err *err)
{
	if (hub->tell)
		hub->tell(hub->context, err);
}

static void answer_doc(struct cx_hub *hub, struct cx_ticket *ticket,
                       json_t *doc, bool failed)
{
	CX_AUTO_BUF struct cx_buf line = { 0 };

	hub->failed = hub->failed || failed;
	cx_answer_line(doc, &line);
	cx_guest_answer(ticket, line.data, line.size, failed);
}

/* doc, or NULL, goes back with err in it. */
static void answer_error(struct cx_hub *hub, struct cx_ticket *ticket,
                         json_t *doc, const struct cx_err *err)
{
	CX_AUTO_JSON json_t *whole = doc ? json_incref(doc) : json_object();

	tell(hub, err);
	json_object_set_new(whole, "error", cx_answer_error(err));
	answer_doc(hub, ticket, whole, true);
}

static void hand_over(struct cx_hub *hub, struct cx_crew_member *member,
                      struct cx_ticket *ticket, json_t *doc,
                      const struct cx_order *order)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err err;

	cx_handover_write(hub->broker, order, doc, &text);
	for (int i = 0; i < 2 && member; i++) {
		if (cx_crew_assign(&hub->crew, member, ticket, &text) == 0)
			return;
		member = cx_crew_idle(&hub->crew, &err); /* that one died */
	}
	cx_err_set(&err, CX_E_WORKER_ERROR, "no worker takes the document");
	cx_exec_refuse(hub->broker, doc, order, &err);
	answer_error(hub, ticket, doc, &err);
}

static void begin(struct cx_hub *hub, struct cx_guest *guest,
                  struct cx_crew_member *member)
{
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_err err = { 0 };
	struct cx_ticket *ticket = cx_guest_take(guest, &doc, &err);
	struct cx_order order;

	if (!doc) {
		answer_error(hub, ticket, NULL, &err);
		return;
	}
	if (json_object_get(doc, "error")) { /* goes on unchanged */
		answer_doc(hub, ticket, doc, true);
		return;
	}
	if (cx_exec_admit(hub->broker, doc, hub->flags, &order, &err) == 0)
		hand_over(hub, member, ticket, doc, &order);
	else
		answer_error(hub, ticket, doc, &err);
	cx_order_done(&order);
}

/* By turns, so that a guest with many documents keeps no other waiting. */
static struct cx_guest *next_guest(struct cx_hub *hub)
{
	for (size_t i = 0; i < hub->guest_count; i++) {
		size_t at = (hub->turn + i) % hub->guest_count;

		if (!cx_guest_has_work(hub->guest[at]))
			continue;
		hub->turn = at + 1;
		return hub->guest[at];
	}
	return NULL;
}

static void begin_all(struct cx_hub *hub)
{
	struct cx_crew_member *member;
	struct cx_guest *guest;
	struct cx_err err;

	while ((guest = next_guest(hub)) != NULL) {
		err.code = CX_E_NONE;
		member = cx_crew_idle(&hub->crew, &err);
		if (!member && err.code == CX_E_NONE)
			return; /* all are busy */
		begin(hub, guest, member);
	}
}

/* The worker died. Its sandbox goes with it; that it ran is recorded from the
 * mark that it left. */
static void mourn(struct cx_hub *hub, struct cx_ticket *ticket)
{
	struct cx_err err;

	cx_begun_sweep(hub->broker);
	cx_err_set(&err, CX_E_INTERNAL, "the process that ran the command "
	           "died, and the command with it; its row says lost");
	answer_error(hub, ticket, NULL, &err);
}

static void hear(struct cx_hub *hub, struct cx_crew_member *member)
{
	struct cx_handover_answer answer;
	const char *line;
	size_t size = 0;
	struct cx_ticket *ticket = cx_crew_hear(&hub->crew, member, &answer,
	                                        &line, &size);
	bool failed;

	if (!ticket)
		return;
	if (!line) {
		mourn(hub, ticket);
		return;
	}
	failed = answer.err.code != CX_E_NONE;
	if (failed)
		tell(hub, &answer.err);
	if (answer.audit.code != CX_E_NONE)
		tell(hub, &answer.audit);
	hub->failed = hub->failed || failed;
	cx_guest_answer(ticket, line, size, failed);
}

static void cancel_all(struct cx_hub *hub, const struct cx_guest *of)
{
	for (size_t i = 0; i < hub->crew.count; i++) {
		struct cx_crew_member *member = &hub->crew.member[i];

		if (member->ticket && (!of || member->ticket->guest == of))
			cx_crew_cancel(member);
	}
}

/* A guest that is gone before its lines has its commands ended. */
static void see_off(struct cx_hub *hub, size_t at)
{
	struct cx_guest *guest = hub->guest[at];

	cancel_all(hub, guest);
	if (guest->output_errno)
		hub->output_errno = guest->output_errno;
	if (guest->input_err.code != CX_E_NONE)
		hub->input_err = guest->input_err;
	cx_guest_done(guest);
	free(guest);
	hub->guest[at] = hub->guest[--hub->guest_count];
}

static bool is_knocking(const struct cx_hub *hub)
{
	struct pollfd listener = { hub->listen_fd, POLLIN, 0 };

	return poll(&listener, 1, 0) > 0;
}

/* One that only holds its place leaves it to one that waits for it. */
static void make_room(struct cx_hub *hub, int64_t now)
{
	int64_t longest = hub->patience_us;
	size_t which = hub->guest_count;

	for (size_t i = 0; i < hub->guest_count; i++) {
		int64_t idle = cx_guest_idled_us(hub->guest[i], now);

		if (idle <= longest)
			continue;
		longest = idle;
		which = i;
	}
	if (which < hub->guest_count && hub->listen_fd >= 0 &&
	    hub->guest_count >= hub->guests_max && is_knocking(hub))
		see_off(hub, which);
}

static void see_off_all(struct cx_hub *hub)
{
	int64_t now = cx_clock_mono_us();

	make_room(hub, now);
	for (size_t i = hub->guest_count; i-- > 0;) {
		struct cx_guest *guest = hub->guest[i];

		if (cx_guest_is_over(guest) ||
		    (hub->patience_us &&
		     cx_guest_waited_us(guest, now) > hub->patience_us))
			see_off(hub, i);
	}
}

static void welcome(struct cx_hub *hub)
{
	struct cx_guest *guest = hub->admit(hub->context, hub->listen_fd);

	if (guest)
		cx_hub_add(hub, guest);
}

/* One set of descriptors: signal, listener, steward, workers, then two a
 * guest. */
struct watched {
	struct pollfd *fd;   /* owned */
	size_t count;
};

enum { SIGNAL, LISTENER, STEWARD, FIRST_WORKER };

static void gather(const struct cx_hub *hub, bool closing,
                   struct watched *ret)
{
	bool room = !closing && hub->guest_count < hub->guests_max;
	size_t n = 0;

	ret->fd[n++] = (struct pollfd){ hub->signal_fd, POLLIN, 0 };
	ret->fd[n++] = (struct pollfd){ room ? hub->listen_fd : -1, POLLIN, 0 };
	/* who has but so many documents is told with each of them */
	ret->fd[n++] = (struct pollfd){
		hub->listen_fd < 0 || hub->bereft ? -1 : hub->crew.steward.fd,
		POLLIN, 0,
	};
	for (size_t i = 0; i < hub->crew.count; i++)
		ret->fd[n++] = (struct pollfd){ hub->crew.member[i].fd, POLLIN,
			                        0 };
	for (size_t i = 0; i < hub->guest_count; i++) {
		const struct cx_guest *guest = hub->guest[i];
		bool in = !closing && cx_guest_wants_input(guest);

		ret->fd[n++] = (struct pollfd){ in ? guest->in_fd : -1, POLLIN,
			                        0 };
		/* without a wish for it, a reader that is gone is told */
		ret->fd[n++] = (struct pollfd){
			guest->out_fd,
			cx_guest_wants_output(guest) ? POLLOUT : 0, 0,
		};
	}
	ret->count = n;
}

static void serve_guest(struct cx_guest *guest, const struct pollfd *fd)
{
	if (fd[0].revents)
		cx_guest_read(guest);
	if (fd[1].revents & POLLOUT)
		cx_guest_write(guest);
	else if (fd[1].revents & (POLLERR | POLLHUP | POLLNVAL))
		guest->output_errno = EPIPE;
}

static void note_signal(struct cx_hub *hub)
{
	struct signalfd_siginfo info;

	if (read(hub->signal_fd, &info, sizeof info) == sizeof info)
		hub->signal = (int)info.ssi_signo;
}

/* One look at everything, and what came of it. */
static void turn(struct cx_hub *hub, struct watched *watched, bool closing)
{
	size_t guests = hub->guest_count, at = FIRST_WORKER;

	gather(hub, closing, watched);
	if (poll(watched->fd, watched->count, LOOK_MS) <= 0)
		return;
	if (watched->fd[SIGNAL].revents)
		note_signal(hub);
	if (watched->fd[STEWARD].revents) /* it never says a word */
		hub->bereft = true;
	for (size_t i = 0; i < hub->crew.count; i++)
		if (watched->fd[at + i].revents)
			hear(hub, &hub->crew.member[i]);
	at += hub->crew.count;
	for (size_t i = 0; i < guests; i++)
		serve_guest(hub->guest[i], &watched->fd[at + 2 * i]);
	if (watched->fd[LISTENER].revents)
		welcome(hub);
}

static bool has_lines(const struct cx_hub *hub)
{
	for (size_t i = 0; i < hub->guest_count; i++)
		if (cx_guest_wants_output(hub->guest[i]))
			return true;
	return false;
}

/* What runs is ended, its lines and those before it go out. */
static void close_down(struct cx_hub *hub, struct watched *watched)
{
	int64_t until = 0;
	int came = hub->signal;

	hub->signal = 0;
	cancel_all(hub, NULL);
	while (hub->signal == 0 && (hub->crew.busy > 0 || has_lines(hub))) {
		if (hub->crew.busy == 0 && until == 0)
			until = cx_clock_mono_us() + FAREWELL_US;
		if (until && cx_clock_mono_us() >= until)
			break;
		turn(hub, watched, true);
	}
	hub->signal = came;
}

void cx_hub_run(struct cx_hub *hub)
{
	struct watched watched = { 0 };

	watched.fd = cx_mem_array(FIRST_WORKER + hub->crew.count +
	                          (size_t)2 * CX_HUB_GUESTS_MAX,
	                          sizeof *watched.fd);
	while (hub->signal == 0 && !hub->bereft) {
		begin_all(hub);
		see_off_all(hub);
		if (hub->listen_fd < 0 && hub->guest_count == 0)
			break;
		turn(hub, &watched, false);
	}
	close_down(hub, &watched);
	free(watched.fd);
}

void cx_hub_done(struct cx_hub *hub)
{
	while (hub->guest_count > 0)
		see_off(hub, hub->guest_count - 1);
	cx_crew_done(&hub->crew);
	free(hub->guest);
	cx_fd_close_at(&hub->signal_fd);
}
