/* exec.c - see exec.h. */
#include "run/exec.h"

#include "base/clock.h"
#include "base/promise.h"
#include "base/str.h"
#include "run/begun.h"
#include "run/cancel.h"
#include "run/carry.h"
#include "run/changes.h"
#include "run/ground.h"
#include "run/hook.h"
#include "run/launch.h"
#include "run/parcel.h"
#include "run/result.h"

enum { REFUSED_STATUS = 125, SHORT_US = 1000 };

/* One exec on its way. */
struct work {
	struct cx_broker *broker;
	const json_t *doc;
	const struct cx_order *order;
	int64_t now;
	bool admitted;         /* elsewhere, by who has the keys */
	const struct cx_exec_ready *ready; /* or NULL */
	struct cx_ground *ground;
	json_t *results;       /* one for each command */
	bool over_quota;       /* one of them was */
	int cancel_fd;
};

/* Denies what is left, from command number index on. */
static void deny_rest(struct work *work, size_t index, enum cx_class reason)
{
	for (; index < cx_order_count(work->order); index++) {
		json_array_append_new(work->results, cx_result_denied(reason));
		cx_launch_deny(work->broker, work->order, work->ground, index,
		               reason);
	}
}

/* Weighed first, so that what is too much leaves no part of itself; measured
 * afterwards, since a source may change, or tell nothing of its blocks. */
static int carry_in(struct work *work, struct cx_err *err)
{
	const struct cx_order_flags *flags = work->order->flags;
	const struct cx_parcel in = { flags->in, flags->in_count };
	int data_fd = work->ground->volume.data_fd;
	struct cx_extent extent, max;

	if (in.count == 0)
		return 0;
	cx_ground_limits(&work->order->profile, &max);
	cx_ground_measure(work->ground, &extent);
	cx_parcel_weigh(&in, data_fd, &extent, &extent);
	if (cx_parcel_admit(&extent, &max, err) < 0)
		return -1;
	for (size_t i = 0; i < in.count; i++)
		if (cx_carry_in(in.path[i], data_fd, work->ground->own,
		                err) < 0)
			return -1;
	cx_ground_measure(work->ground, &extent);
	return cx_parcel_admit(&extent, &max, err);
}

/* All of --out; the first fault is the one that is told. */
static int carry_out(struct work *work, json_t *result, struct cx_err *err)
{
	const struct cx_order_flags *flags = work->order->flags;
	json_t *files = json_object_get(result, "files");
	int done = 0;

	for (size_t i = 0; i < flags->out_count; i++) {
		struct cx_err one = { 0 };
		json_t *file = NULL;

		if (cx_carry_out(flags->out[i], work->ground->volume.data_fd,
		                 &file, &one) < 0) {
			if (done == 0)
				*err = one;
			done = -1;
		}
		if (json_is_array(files))
			json_array_append_new(files, file);
		else
			json_decref(file);
	}
	return done;
}

/* The last command's result that there is. */
static json_t *last_allowed(const struct work *work)
{
	size_t count = json_array_size(work->results);
	json_t *result = json_array_get(work->results, 0);

	for (size_t i = 0; i < count; i++) {
		json_t *one = json_array_get(work->results, i);

		if (cx_str_same(cx_json_text(one, "decision"), "allowed"))
			result = one;
	}
	return result;
}

/* What a dry run came to; it waits for a commit, unless it was too much. */
static int tell_changes(struct work *work, struct cx_err *err)
{
	struct cx_ground *ground = work->ground;
	json_t *changes = NULL;
	bool kept = false;

	if (cx_changes_list(ground->base_fd, ground->volume.data_fd, &changes,
	                    err) < 0)
		return -1;
	json_object_set_new(last_allowed(work), "changes", changes);
	if (!work->over_quota && cx_ground_keep(ground, &kept, err) < 0)
		return -1;
	json_object_set_new(changes, "kept", json_boolean(kept));
	return 0;
}

static bool goes_on(const struct work *work, const struct cx_launch_end *end)
{
	return !end->over_quota && !end->cancelled &&
	       (end->exited_zero || work->order->section.keep_going);
}

static bool ended_job(const struct work *work)
{
	return work->over_quota && !work->order->flags->dry_run;
}

static int run_each(struct work *work, struct cx_err *err)
{
	size_t count = cx_order_count(work->order);

	for (size_t i = 0; i < count; i++) {
		struct cx_launch_end end;
		json_t *result = NULL;
		int done = cx_launch_run(work->broker, work->order,
		                         work->ground, i, work->cancel_fd,
		                         &result, &end, err);

		json_array_append_new(work->results, result);
		work->over_quota |= end.over_quota;
		if (done < 0 || !goes_on(work, &end)) {
			deny_rest(work, i + 1, ended_job(work)
			          ? CX_E_JOB_ENDED : CX_E_NOT_RUN);
			return done;
		}
	}
	return 0;
}

/* What was true before a wait needn't be true after it: the carrier's time may
 * be over by then, its run closed. */
static int await_turn(struct work *work, struct cx_err *err)
{
	CX_AUTO_TRUST struct cx_trust again = { 0 };
	int64_t began_us = cx_clock_mono_us();

	work->now = work->order->trust.now;
	if (cx_ground_await(work->broker, work->order, work->cancel_fd,
	                    work->ground, err) < 0)
		return -1;
	if (work->admitted ||
	    CX_PROMISE(turn_judged_anew,
	               cx_clock_mono_us() - began_us < SHORT_US))
		return 0;
	if (cx_trust_judge(work->broker, work->doc,
	                   &work->order->flags->egress, &again, err) < 0)
		return -1;
	work->now = again.now;
	return 0;
}

/* The last that is done with a key at hand: no child of ours is to find one in
 * its memory. Who is told to try again still needs his carrier. */
static int spend(struct work *work, struct cx_err *err)
{
	struct cx_broker *broker = work->broker;

	if (await_turn(work, err) < 0 ||
	    cx_carrier_spend(&broker->sealer, &work->order->trust.carrier,
	                     work->now, err) < 0)
		return -1;
	cx_sealer_done(&broker->sealer);
	return 0;
}

/* From here on things are made. */
static int make_and_run(struct work *work, struct cx_err *err)
{
	json_t *last;

	if (work->admitted ? await_turn(work, err) < 0
	                   : spend(work, err) < 0)
		return -1;
	if (cx_ground_make(work->broker, work->order, work->cancel_fd,
	                   work->ground, err) < 0)
		return -1;
	if (!work->admitted)
		cx_begun_sweep(work->broker); /* while the network is made */
	if (carry_in(work, err) < 0 || run_each(work, err) < 0 ||
	    (work->order->flags->dry_run && tell_changes(work, err) < 0))
		return -1;
	last = json_array_get(work->results,
	                      json_array_size(work->results) - 1);
	return carry_out(work, last, err);
}

static void tell_teardown(const struct work *work)
{
	const char *program = work->broker->config.hook_teardown;
	const struct cx_session *session =
		cx_trust_session(&work->order->trust);
	CX_AUTO_JSON json_t *told = NULL;

	if (!program || !work->ground->own_job)
		return;
	told = json_pack("{s:s, s:s, s:s}", "orgId", session->org_id,
	                 "userId", session->user_id, "jobId",
	                 work->order->job_id);
	cx_hook_ask(program, told);
}

static void set_results(json_t *doc, const struct work *work)
{
	if (work->order->section.is_list) {
		json_object_del(doc, "result");
		json_object_set(doc, "results", work->results);
	} else {
		json_object_del(doc, "results");
		json_object_set(doc, "result",
		                json_array_get(work->results, 0));
	}
	if (!CX_PROMISE(carrier_taken, work->order->flags->keep_carrier)) {
		json_object_del(doc, "carrier");
		json_object_del(doc, "carrierExpiresAt");
	}
}

/* The first that isn't 0. */
static int status(const json_t *results, int done)
{
	for (size_t i = 0; i < json_array_size(results); i++) {
		int one = cx_result_status(json_array_get(results, i));

		if (one != 0)
			return one;
	}
	return done < 0 ? REFUSED_STATUS : 0;
}

static void say_where(const struct work *work, struct cx_exec_end *end)
{
	CX_AUTO_BUF struct cx_buf where = { 0 };

	end->where[0] = '\0';
	if (!work->order->flags->dry_run || !work->ground)
		return;
	cx_changes_where(&work->ground->owner, &where);
	snprintf(end->where, sizeof end->where, "%s", where.data);
}

/* done: what was decided, and *err why not. */
static int work_through(struct work *work, json_t *doc, int done,
                        struct cx_exec_end *end, struct cx_err *err)
{
	CX_AUTO_GROUND struct cx_ground ground = CX_GROUND_NONE;

	if (done == 0) {
		work->ground = &ground;
		done = make_and_run(work, err);
	}
	if (!ground.is_made)
		work->ground = NULL; /* its numbers weren't given out */
	if (json_array_size(work->results) == 0)
		deny_rest(work, 0, err->code);
	if (work->ground)
		tell_teardown(work);
	say_where(work, end);
	set_results(doc, work);
	end->status = status(work->results, done);
	if (work->ready)
		work->ready->tell(work->ready->context, doc,
		                  done < 0 ? err : NULL);
	work->ground = NULL;
	return done;
}

void cx_exec_order(struct cx_broker *broker, json_t *doc,
                   const struct cx_order *order, int cancel_fd,
                   const struct cx_exec_ready *ready)
{
	CX_AUTO_JSON json_t *results = json_array();
	struct work work = {
		.broker = broker, .doc = doc, .order = order,
		.results = results, .cancel_fd = cancel_fd, .admitted = true,
		.ready = ready,
	};
	struct cx_exec_end end;
	struct cx_err err = { 0 };

	work_through(&work, doc, 0, &end, &err);
}

void cx_exec_refuse(struct cx_broker *broker, json_t *doc,
                    const struct cx_order *order, const struct cx_err *why)
{
	CX_AUTO_JSON json_t *results = json_array();
	struct work work = {
		.broker = broker, .order = order, .results = results,
		.cancel_fd = -1,
	};
	struct cx_exec_end end;
	struct cx_err err = *why;

	work_through(&work, doc, -1, &end, &err);
}

int cx_exec_admit(struct cx_broker *broker, json_t *doc,
                  const struct cx_order_flags *flags, struct cx_order *ret,
                  struct cx_err *err)
{
	if (cx_order_judge(broker, doc, flags, ret, err) == 0 &&
	    cx_carrier_spend(&broker->sealer, &ret->trust.carrier,
	                     ret->trust.now, err) == 0)
		return 0;
	cx_exec_refuse(broker, doc, ret, err);
	return -1;
}

int cx_exec_document(struct cx_broker *broker, json_t *doc,
                     const struct cx_order_flags *flags,
                     struct cx_exec_end *ret_end, struct cx_err *err)
{
	CX_AUTO_JSON json_t *results = json_array();
	CX_AUTO_ORDER struct cx_order order;
	struct work work = {
		.broker = broker, .doc = doc, .order = &order,
		.results = results,
	};
	struct cx_cancel cancel;
	int done;

	cx_cancel_start(&cancel);
	work.cancel_fd = cancel.fd;
	done = cx_order_decide(broker, doc, flags, &order, err);
	done = work_through(&work, doc, done, ret_end, err);
	ret_end->signal = cx_cancel_finish(&cancel);
	return done;
}
