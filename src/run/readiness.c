/* readiness.c - see readiness.h. */
#include "run/readiness.h"

#include <limits.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "plane/secret.h"
#include "run/memo.h"
#include "run/primitive.h"

static const char *const states[] = {
	"disabled", "unavailable", "ready", NULL,
};

static const struct cx_shape reason_member[] = {
	{ .name = "class", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "A stable word; cx-errors(7) lists them." },
	{ .name = "message", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "What to do about it, for a person." },
	{ .name = NULL },
};
static const struct cx_shape reason = {
	.kind = CX_SHAPE_OBJECT, .sub = reason_member,
};

#define PERHAPS(name_, kind_, about_) \
	{ .name = (name_), .kind = (kind_), .required = true, \
	  .nullable = true, .about = (about_) }

static const struct cx_shape member[] = {
	{ .name = "apiVersion", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "cx/v1" },
	{ .name = "state", .kind = CX_SHAPE_TEXT, .word = states,
	  .required = true,
	  .about = "disabled, unavailable or ready; never a fourth." },
	{ .name = "reasons", .kind = CX_SHAPE_LIST, .sub = &reason,
	  .required = true, .about = "Why it isn't ready; else none." },
	PERHAPS("provenanceKey", CX_SHAPE_TEXT,
	        "The active key that signs layers."),
	PERHAPS("checkedAt", CX_SHAPE_TEXT,
	        "When the round trip began (UTC); null when none was made."),
	{ .name = "memoized", .kind = CX_SHAPE_BOOL, .required = true,
	  .about = "It was made by an earlier call, at most 30 seconds ago." },
	PERHAPS("jobId", CX_SHAPE_TEXT, "The probe command's job."),
	PERHAPS("imageDigest", CX_SHAPE_TEXT, "The base that it ran in."),
	PERHAPS("wallMs", CX_SHAPE_NUMBER, "How long the probe command took."),
	{ .name = "primitives", .kind = CX_SHAPE_LIST,
	  .sub = &cx_primitive_shape,
	  .about = "With --probe: each thing that a sandbox is made of." },
	{ .name = NULL },
};

const struct cx_shape cx_readiness_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = member, .open = true,
	.about = "Whether the plane may be used.",
};

int cx_readiness_admit(const struct cx_config *config, struct cx_err *err)
{
	const char *text = config->rollout_text;

	if (!config->rollout)
		return cx_err_set(err, CX_E_EXECUTION_DISABLED,
		                  "the plane isn't rolled out: rollout is "
		                  "%s%.60s%s; set it to 'on' in the "
		                  "configuration, or "
		                  "CX_EXECUTION_PLANE_ROLLOUT=on",
		                  text ? "'" : "", text ? text : "unset",
		                  text ? "'" : "");
	if (config->placement == CX_PLACEMENT_DISABLED)
		return cx_err_set(err, CX_E_EXECUTION_DISABLED,
		                  "placement is disabled in the "
		                  "configuration");
	return 0;
}

/* The key that would sign a layer now, read as if it did. */
static int find_key(const struct cx_broker *broker,
                    char ret_kid[CX_RING_KID_MAX], struct cx_err *err)
{
	CX_AUTO_RING struct cx_ring ring = CX_RING_NONE;
	const struct cx_ring_entry *entry = NULL;
	uint8_t secret[CX_RING_KEY_BYTES];
	int64_t now;
	int done;

	if (cx_clock_now(&now, err) < 0)
		return -1;
	if (cx_ring_load(&broker->state, &ring, err) == 0)
		entry = cx_ring_active(&ring, CX_RING_PROVENANCE, now);
	else if (err->code != CX_E_KEY_MISSING)
		return -1;
	if (!entry)
		return cx_err_set(err, CX_E_KEY_MISSING,
		                  "no provenance key is active, so no layer "
		                  "could be vouched for; make one with cx-seal "
		                  "key new --purpose provenance, and activate "
		                  "it with cx-seal key activate KID");
	done = cx_secret_read(&ring, entry, secret, err);
	cx_mem_wipe(secret, sizeof secret);
	if (done == 0)
		memcpy(ret_kid, entry->kid, CX_RING_KID_MAX);
	return done;
}

/* What doesn't take a round trip. false: the plane is disabled. */
static bool look(const struct cx_broker *broker,
                 struct cx_readiness_answer *ret)
{
	*ret = (struct cx_readiness_answer){ .trip.wall_ms = -1 };
	if (cx_readiness_admit(&broker->config, &ret->disabled) < 0)
		return false;
	if (find_key(broker, ret->kid, &ret->keyless) == 0)
		ret->keyless.code = CX_E_NONE;
	return true;
}

static void conclude(struct cx_readiness_answer *answer)
{
	answer->state = cx_binding_readiness(
		answer->disabled.code == CX_E_NONE, *answer->kid != '\0',
		answer->tripped && answer->trip.fault == CX_E_NONE);
}

/* A trip that began after we asked is as good as one of our own. */
static int trip(struct cx_broker *broker, struct cx_memo *memo, bool fresh,
                struct cx_readiness_answer *ret, struct cx_err *err)
{
	int64_t since = fresh ? cx_clock_wall_ms() : 0;

	ret->memoized = !fresh && cx_memo_read(memo, since, &ret->trip);
	if (ret->memoized)
		return 0;
	if (cx_memo_lease(memo, err) < 0)
		return -1;
	ret->memoized = cx_memo_read(memo, since, &ret->trip);
	if (ret->memoized)
		return 0;
	cx_roundtrip_make(broker, &ret->trip);
	if (ret->trip.signal == 0)
		cx_memo_write(memo, &ret->trip);
	return 0;
}

int cx_readiness_judge(struct cx_broker *broker, bool fresh,
                       struct cx_readiness_answer *ret, struct cx_err *err)
{
	CX_AUTO_MEMO struct cx_memo memo = CX_MEMO_NONE;

	if (look(broker, ret)) {
		if (cx_memo_open(broker, &memo, err) < 0 ||
		    trip(broker, &memo, fresh, ret, err) < 0)
			return -1;
		ret->tripped = true;
	}
	conclude(ret);
	return 0;
}

static void add_reason(json_t *list, enum cx_class class, const char *message)
{
	if (class != CX_E_NONE)
		json_array_append_new(list, json_pack(
			"{s:s, s:s}", "class", cx_err_name(class),
			"message", message));
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

json_t *cx_readiness_write(const struct cx_readiness_answer *answer)
{
	const struct cx_roundtrip *made = &answer->trip;
	json_t *reasons = json_array();
	char at[21] = "";

	add_reason(reasons, answer->disabled.code, answer->disabled.text);
	add_reason(reasons, answer->keyless.code, answer->keyless.text);
	add_reason(reasons, made->fault, made->why);
	if (answer->tripped)
		cx_clock_text(made->at_ms / 1000, at);
	return json_pack("{s:s, s:s, s:o, s:s?, s:s?, s:b, s:s?, s:s?, s:o}",
	                 "apiVersion", "cx/v1", "state",
	                 cx_binding_readiness_text(answer->state),
	                 "reasons", reasons,
	                 "provenanceKey", or_null(answer->kid),
	                 "checkedAt", or_null(at),
	                 "memoized", answer->memoized,
	                 "jobId", or_null(made->job_id),
	                 "imageDigest", or_null(made->image_digest),
	                 "wallMs", made->wall_ms < 0 ? json_null()
	                           : json_integer(made->wall_ms));
}

/* A cx-run of the same file, with our environment: is it ready? */
static int ask_own(bool *ret, struct cx_err *err)
{
	char path[PATH_MAX];
	const char *const argv[] = { path, "ready", NULL };
	union { char **ours; const char *const *theirs; } env = { environ };
	const struct cx_spawn what = { argv, env.theirs, -1, -1, -1, false };
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	int status;
	pid_t pid;

	if (n <= 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read /proc/self/exe");
	path[n] = '\0';
	if (cx_spawn_start(&what, &pid, err) < 0 ||
	    cx_spawn_wait(pid, &status, err) < 0)
		return -1;
	*ret = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	return 0;
}

int cx_readiness_ask(struct cx_broker *broker, enum cx_readiness *ret,
                     struct cx_err *err)
{
	CX_AUTO_MEMO struct cx_memo memo = CX_MEMO_NONE;
	struct cx_readiness_answer answer;
	bool is_ready = false;

	*ret = CX_READINESS_DISABLED;
	if (!look(broker, &answer))
		return 0;
	*ret = CX_READINESS_UNAVAILABLE;
	if (!*answer.kid)
		return 0;
	if (cx_memo_open(broker, &memo, err) < 0)
		return -1;
	if (cx_memo_read(&memo, 0, &answer.trip)) {
		answer.tripped = true;
		conclude(&answer);
		*ret = answer.state;
		return 0;
	}
	if (ask_own(&is_ready, err) < 0)
		return -1;
	if (is_ready)
		*ret = CX_READINESS_READY;
	return 0;
}
