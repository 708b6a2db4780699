/* worker.c - see worker.h. */
#include "run/worker.h"

#include <malloc.h>

#include "data/answer.h"
#include "run/exec.h"
#include "run/handover.h"
#include "run/stand.h"
#include "wire/packet.h"

enum { KEEP_BYTES = 8 * 1024 * 1024 };

struct worker {
	struct cx_broker *broker;
	const struct cx_order_flags *flags;
	int fd;
};

/* err: why it failed, NULL when it didn't. */
static void answer(void *context, json_t *doc, const struct cx_err *err)
{
	struct worker *worker = context;
	CX_AUTO_BUF struct cx_buf out = { 0 };
	struct cx_handover_answer head = { 0 };

	cx_record_complaint(&worker->broker->sink, &head.audit);
	worker->broker->sink.failed = 0;
	if (err) {
		head.err = *err;
		json_object_set_new(doc, "error", cx_answer_error(err));
	}
	cx_buf_add(&out, &head, sizeof head);
	cx_answer_line(doc, &out);
	if (cx_packet_send(worker->fd, CX_HANDOVER_ANSWER, out.data,
	                   out.size) < 0)
		_exit(0); /* nobody waits for it any more */
}

/* A word, or the end, of the other side while this runs is a cancellation:
 * it sends no second order before it has the answer to the first. */
static void carry_out(struct worker *worker, json_t *doc,
                      const struct cx_order_grant *grant)
{
	const struct cx_exec_ready ready = { answer, worker };
	CX_AUTO_ORDER struct cx_order order;
	struct cx_err err = { 0 };

	if (cx_order_take_over(worker->broker, doc, worker->flags, grant,
	                       &order, &err) == 0) {
		cx_exec_order(worker->broker, doc, &order, worker->fd, &ready);
		return;
	}
	cx_exec_refuse(worker->broker, doc, &order, &err);
	answer(worker, doc, &err);
}

static void work(struct worker *worker, const struct cx_buf *body)
{
	CX_AUTO_JSON json_t *message = NULL;
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_order_grant grant;
	struct cx_err err = { 0 };

	if (cx_handover_read(body->data, body->size, &message, &doc, &grant,
	                     &err) == 0) {
		carry_out(worker, doc, &grant);
		return;
	}
	doc = json_object();
	answer(worker, doc, &err);
}

/* One command needs what the last one did: given back in between, each page
 * would be asked for, and cleared, anew. */
static void keep_memory(void)
{
	mallopt(M_TRIM_THRESHOLD, KEEP_BYTES);
	mallopt(M_MMAP_THRESHOLD, KEEP_BYTES / 16);
	mallopt(M_TOP_PAD, KEEP_BYTES / 16);
}

void cx_worker_run(struct cx_broker *broker,
                   const struct cx_order_flags *flags, int fd)
{
	struct worker worker = { broker, flags, fd };
	struct cx_stand stand;
	struct cx_err ignored;
	struct cx_buf body = { 0 };
	uint32_t kind;

	keep_memory();
	/* where there can be none, each command says why */
	cx_stand_make(broker, &stand, &ignored);
	while (cx_packet_receive(fd, &kind, &body) == 1) {
		if (kind != CX_HANDOVER_ORDER)
			continue;
		work(&worker, &body);
		if (broker->stand)
			cx_stand_refill(broker->stand);
	}
	if (broker->stand)
		cx_stand_done(broker->stand);
	cx_broker_done(broker);
	_exit(0);
}
