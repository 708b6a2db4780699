/* launch.c - see launch.h. */
#include "run/launch.h"

#include <errno.h>
#include <signal.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/promise.h"
#include "box/box.h"
#include "plane/toll.h"
#include "run/begun.h"
#include "run/follow.h"
#include "run/hook.h"
#include "run/lookout.h"
#include "run/crossing.h"
#include "run/relay.h"
#include "run/result.h"
#include "run/stand.h"
#include "sys/heap.h"

enum { KEY_MAX = 64 };

static void name_command(const struct cx_order *order,
                         const struct cx_ground *ground, size_t index,
                         char ret_id[KEY_MAX], char ret_key[KEY_MAX])
{
	unsigned long long n = ground ? ground->first + index : index + 1;
	/* without ground a job's numbers aren't known: a key of its own */
	const char *job = ground ? order->job_id : order->own_id;

	snprintf(ret_id, KEY_MAX, "%s-%llu", job, n);
	snprintf(ret_key, KEY_MAX, "%s/%llu", job, n);
}

static void start_event(const struct cx_broker *broker,
                        const struct cx_order *order, struct cx_event *ret)
{
	const struct cx_session *session = cx_trust_session(&order->trust);

	if (!CX_PROMISE(audit_unverified, order->trust.is_opened)) {
		cx_event_start(CX_EVENT_UNIDENTIFIED, CX_EVENT_UNIDENTIFIED,
		               order->own_id, ret);
		return;
	}
	cx_event_start(session->org_id, session->user_id, order->job_id, ret);
	ret->run_id = *session->run_id ? session->run_id : NULL;
	ret->surface = session->surface;
	ret->cwd = order->section.cwd;
	ret->egress_mode = order->trust.tier;
	if (broker->has_image)
		ret->image_digest = broker->image.digest;
}

void cx_launch_deny(struct cx_broker *broker, const struct cx_order *order,
                    const struct cx_ground *ground, size_t index,
                    enum cx_class reason)
{
	char id[KEY_MAX], key[KEY_MAX];
	struct cx_event event;

	name_command(order, ground, index, id, key);
	start_event(broker, order, &event);
	event.reason = reason;
	cx_record_append(&broker->sink, &event, key);
}

/* What the sandbox's hooks work with. */
struct watch {
	struct cx_lookout lookout;
	struct cx_relay *relay;   /* or NULL */
	struct cx_follow *follow; /* or NULL; relay is its own then */
	struct cx_crossing crossing;
	struct cx_broker *broker;
	const struct cx_order *order;
	json_t *result;           /* begun while the command runs; owned */
};

static int64_t look(void *context, pid_t init)
{
	return cx_lookout_look(&((struct watch *)context)->lookout, init);
}

static void show(void *context, int stream, const char *data, size_t size)
{
	struct watch *watch = context;

	if (watch->follow)
		cx_follow_output(watch->follow, stream, data, size);
	else
		cx_relay_add(watch->relay, stream, data, size);
}

/* Both streams' events go to one reader. */
static void find_readers(void *context, struct cx_box_readers *ret)
{
	const struct watch *watch = context;

	for (int i = 0; i < 2; i++) {
		int number = watch->follow ? 1 : i + 1;

		ret->fd[i] = cx_relay_waits_for(watch->relay, number);
		ret->full[i] = cx_relay_is_full(watch->relay, number);
	}
}

static void push(void *context)
{
	cx_relay_push(((struct watch *)context)->relay);
}

static void tell_start(void *context)
{
	cx_follow_started(((struct watch *)context)->follow);
}

static int hand_over(void *context, struct cx_portal *portal,
                     struct cx_err *err)
{
	return cx_crossing_open(context, portal, err);
}

static json_t *list_layers(const struct cx_image *image)
{
	json_t *list = json_array();

	for (size_t i = 0; i < image->layer_count; i++)
		json_array_append_new(list,
		                      json_string(image->layer[i].diff_id));
	return list;
}

/* While the command runs: what needn't be done at its end. */
static void begin_result(void *context)
{
	struct watch *watch = context;
	const struct cx_image *image = &watch->broker->image;
	const struct cx_result_facts facts = {
		.job_id = watch->order->job_id,
		.image_digest = image->digest,
		.layers = list_layers(image),
		.profile_digest = watch->order->profile_digest,
		.tier = watch->order->trust.tier,
	};

	watch->result = cx_result_runs(&facts);
	cx_record_ready(&watch->broker->sink);
	cx_heap_part();
}

static void set_hooks(struct watch *watch, struct cx_box_hooks *ret)
{
	ret->context = watch;
	ret->look = look;
	ret->idle = begin_result;
	if (!watch->relay)
		return;
	ret->output = show;
	ret->readers = find_readers;
	ret->push = push;
	if (watch->follow)
		ret->started = tell_start;
}

static void fill_box(const struct cx_broker *broker,
                     const struct cx_order *order,
                     struct cx_ground *ground, size_t index,
                     struct watch *watch, struct cx_box *box)
{
	const struct cx_image *image = &broker->image;
	union { const char **given; char *const *taken; } argv = {
		order->section.argv,
	};

	cx_box_start(box);
	box->profile = &order->profile;
	for (size_t i = 0; i < image->layer_count; i++) {
		box->layer[i].digest = image->layer[i].diff_id;
		box->layer[i].fd = image->layer[i].root_fd;
	}
	box->layer_count = image->layer_count;
	box->workspace_fd = ground->volume.data_fd;
	box->workspace_name = ground->volume.key;
	box->command = order->section.argv ? NULL
	                                   : order->section.command[index];
	box->argv = argv.taken;
	box->stdin_fd = order->input_fd;
	box->outer_uid = ground->outer_uid;
	box->outer_gid = ground->outer_uid;
	box->runtime = cx_order_runtime(broker, order->flags);
	box->void_uid = ground->void_uid;
	box->guard = cx_ground_guard(ground);
	box->leave = broker->leaves && index + 1 == cx_order_count(order);
	set_hooks(watch, &box->hooks);
	if (order->trust.tier == CX_TIER_NONE)
		return;
	box->portal = (struct cx_box_portal){
		.hand_over = hand_over, .context = &watch->crossing,
		.port = order->trust.allowance.port,
		.ports = order->trust.allowance.ports,
	};
}

/* A file met the end of the workspace, where it has no limit of its own, and
 * the command ended by it. */
static void judge_full(const struct cx_order *order,
                       const struct cx_extent *extent,
                       struct cx_report *report)
{
	const struct cx_quota *quota = &order->profile.quota;

	if (report->file_limit_hit && extent->kib >= quota->workspace_kib &&
	    quota->file_size_bytes >= quota->workspace_kib * 1024 &&
	    (report->termination == CX_TERMINATION_SIGNALED ||
	     report->termination == CX_TERMINATION_EXITED) &&
	    report->exit_code == 128 + SIGXFSZ)
		report->termination = CX_TERMINATION_DISK_QUOTA_EXCEEDED;
}

/* How it ended, with the workspace measured afterwards. */
static void settle(struct cx_broker *broker, const struct cx_order *order,
                   const struct cx_ground *ground, struct cx_report *report,
                   struct cx_extent *ret_extent, struct cx_launch_end *end)
{
	struct cx_extent max;

	cx_ground_limits(&order->profile, &max);
	cx_ground_measure(ground, ret_extent);
	judge_full(order, ret_extent, report);
	end->cancelled = report->termination == CX_TERMINATION_CANCELLED;
	if (!cx_extent_is_over(ret_extent, &max) &&
	    report->termination != CX_TERMINATION_DISK_QUOTA_EXCEEDED) {
		end->exited_zero =
			report->termination == CX_TERMINATION_EXITED &&
			report->exit_code == 0;
		return;
	}
	if (report->termination == CX_TERMINATION_EXITED)
		report->termination = CX_TERMINATION_DISK_QUOTA_EXCEEDED;
	if (report->termination != CX_TERMINATION_DISK_QUOTA_EXCEEDED)
		return;
	end->over_quota = true;
	cx_ground_end(broker, order);
}

static void record(struct cx_broker *broker, const struct cx_report *report,
                   const struct cx_extent *extent, const char *key,
                   int64_t egress, struct cx_event *event)
{
	event->decision = CX_DECISION_ALLOWED;
	event->reason = CX_E_NONE;
	event->termination = report->termination;
	event->exit_code = report->exit_code;
	event->egress_total_bytes = egress;
	event->wall_ms = report->wall_ms;
	event->workspace_kb = (int64_t)extent->kib;
	cx_record_append(&broker->sink, event, key);
}

static void tell_hook(const struct cx_broker *broker, const char *key,
                      const struct cx_event *event, const json_t *result)
{
	const char *program = broker->config.hook_stdio;
	CX_AUTO_JSON json_t *told = NULL;

	if (!program)
		return;
	told = json_pack("{s:s, s:s, s:s}", "orgId", event->org_id, "userId",
	                 event->user_id, "command", key);
	if (event->run_id)
		json_object_set_new(told, "runId",
		                    json_string(event->run_id));
	json_object_set_new(told, "result", json_deep_copy(result));
	cx_hook_ask(program, told); /* its answer changes nothing any more */
}

static void finish(struct watch *watch, struct cx_ground *ground,
                   struct cx_event *event, const char *key,
                   json_t **ret_result, struct cx_launch_end *end)
{
	struct cx_report *report = &ground->report;
	int64_t egress = cx_crossing_close(&watch->crossing);
	struct cx_extent extent;

	if (egress > 0)
		ground->egress_bytes += (uint64_t)egress;
	settle(watch->broker, watch->order, ground, report, &extent, end);
	*ret_result = CX_TAKE(watch->result);
	cx_result_ran(*ret_result, report, (int64_t)extent.kib, egress);
	record(watch->broker, report, &extent, key, egress, event);
	tell_hook(watch->broker, key, event, *ret_result);
}

/* It never ran. */
static void give_up(struct watch *watch, const struct cx_ground *ground,
                    size_t index, enum cx_class why, json_t **ret_result)
{
	cx_crossing_close(&watch->crossing);
	json_decref(watch->result);
	*ret_result = cx_result_denied(why);
	cx_launch_deny(watch->broker, watch->order, ground, index, why);
}

/* A job or run that stays has one ceiling for all its commands. */
static int open_toll(struct cx_ground *ground, struct cx_err *err)
{
	if (ground->toll_fd >= 0 ||
	    CX_PROMISE(egress_toll, ground->own_job || ground->owner.name))
		return 0;
	return cx_toll_open(ground->volume.lease_fd, &ground->toll_fd, err);
}

/* A list's commands share the document's ceiling. */
static int find_way(struct cx_broker *broker, const struct cx_order *order,
                    struct cx_ground *ground, const char *id,
                    struct cx_crossing *ret, struct cx_err *err)
{
	uint64_t max = order->trust.allowance.max_bytes;

	*ret = (struct cx_crossing){
		.courier = &broker->courier, .order = order, .id = id,
		.max_bytes = max > ground->egress_bytes
		             ? max - ground->egress_bytes : 0,
	};
	if (order->trust.tier == CX_TIER_NONE)
		return 0;
	if (open_toll(ground, err) < 0)
		return -1;
	ret->toll_fd = ground->toll_fd;
	return cx_courier_start(&broker->state, &broker->config,
	                       &broker->courier, err);
}

static int run_box(const struct cx_box *box, struct cx_report *ret,
                   struct cx_err *err)
{
	if (cx_box_run(box, ret, err) == 0)
		return 0;
	if (ret->fault == CX_STEP_CWD)
		cx_err_at(err, "/run/cwd");
	return -1;
}

int cx_launch_run(struct cx_broker *broker, const struct cx_order *order,
                  struct cx_ground *ground, size_t index, int cancel_fd,
                  json_t **ret_result, struct cx_launch_end *ret_end,
                  struct cx_err *err)
{
	struct watch watch = {
		.relay = order->flags->relay, .follow = order->flags->follow,
		.broker = broker, .order = order,
	};
	struct cx_report *report = &ground->report;
	char id[KEY_MAX], key[KEY_MAX];
	struct cx_extent max;
	struct cx_event event;
	struct cx_begun own = CX_BEGUN_NONE;
	struct cx_begun *begun = broker->stand ? &broker->stand->begun : &own;
	struct cx_box box;
	int done;

	*ret_end = (struct cx_launch_end){ 0 };
	name_command(order, ground, index, id, key);
	start_event(broker, order, &event);
	cx_ground_limits(&order->profile, &max);
	cx_lookout_start(ground->volume.data_fd, &max, &watch.lookout);
	fill_box(broker, order, ground, index, &watch, &box);
	box.id = id;
	box.cancel_fd = cancel_fd;
	cx_begun_mark(&broker->state, id, key, &event,
	              ground->volume.passing, begun);
	if (watch.follow)
		cx_follow_begin(watch.follow, index, order->job_id);
	cx_report_done(report); /* of the command before */
	done = find_way(broker, order, ground, id, &watch.crossing, err);
	if (done == 0)
		done = run_box(&box, report, err);
	ground->guard.leaves = done == 0 && box.leave;
	if (watch.follow)
		cx_follow_end(watch.follow);
	report->enforced[CX_QUOTA_WORKSPACE] = ground->wall_held;
	if (done == 0) {
		finish(&watch, ground, &event, key, ret_result, ret_end);
	} else {
		give_up(&watch, ground, index, err->code, ret_result);
	}
	cx_begun_clear(begun);
	return done;
}
