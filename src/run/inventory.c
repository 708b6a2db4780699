/* inventory.c - see inventory.h. */
#include "run/inventory.h"

#include <fcntl.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/promise.h"
#include "base/str.h"
#include "plane/registry.h"
#include "run/begun.h"
#include "run/trust.h"
#include "store/disk.h"
#include "store/extent.h"
#include "store/pending.h"
#include "store/shelf.h"

#define TEXT(name_, about_) \
	{ .name = (name_), .kind = CX_SHAPE_TEXT, .about = (about_) }
#define NUMBER(name_, about_) \
	{ .name = (name_), .kind = CX_SHAPE_NUMBER, .about = (about_) }
#define END { .name = NULL }

static const struct cx_shape item_member[] = {
	TEXT("key", "Its name in the state folder."),
	TEXT("orgId", "Organization."),
	TEXT("userId", "User who made it."),
	TEXT("runId", "The run that it belongs to."),
	TEXT("jobId", "The job that it belongs to."),
	TEXT("name", "Its name, if it was given one."),
	TEXT("state", "live, ended, over_quota, or unknown."),
	{ .name = "busy", .kind = CX_SHAPE_BOOL, .about = "In use now." },
	{ .name = "pending", .kind = CX_SHAPE_BOOL,
	  .about = "A dry run's changes wait in it." },
	NUMBER("kib", "What it takes, in KiB."),
	NUMBER("inodes", "Files and folders."),
	TEXT("madeAt", "When it was made."),
	TEXT("usedAt", "When it was used last."),
	END,
};
static const struct cx_shape item = {
	.kind = CX_SHAPE_OBJECT, .sub = item_member,
};
static const struct cx_shape list_member[] = {
	{ .name = "workspaces", .kind = CX_SHAPE_LIST, .sub = &item,
	  .required = true, .about = "Every workspace there is." },
	END,
};
const struct cx_shape cx_inventory_list_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = list_member, .open = true,
};

static const struct cx_shape gone_member[] = {
	{ .name = "removed", .kind = CX_SHAPE_LIST, .sub = &item,
	  .about = "Those that were removed." },
	NUMBER("kept", "How many were kept."),
	END,
};
const struct cx_shape cx_inventory_gone_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = gone_member, .open = true,
};

/* One round over all workspaces. */
struct round {
	struct cx_broker *broker;
	const char *org;       /* NULL: all */
	int64_t unused_s;      /* 0: however long */
	bool named;            /* those with a name too */
	int64_t now;
	bool dry_run;
	json_t *list;
	json_int_t kept;
};

/* Where the operator's program knows the runs, the registry doesn't. */
static bool hook_says_live(const struct round *round,
                           const struct cx_label *label)
{
	const char *program = round->broker->config.hook_liveness;
	struct cx_session session = { .surface = CX_SURFACE_AGENT };
	struct cx_err ignored;

	if (!program || !*label->run_id)
		return false;
	memcpy(session.org_id, label->org_id, sizeof session.org_id);
	memcpy(session.user_id, label->user_id, sizeof session.user_id);
	memcpy(session.run_id, label->run_id, sizeof session.run_id);
	return cx_trust_ask_liveness(program, &session, &ignored) == 0;
}

/* A registry that can't be read isn't one without a row: nothing may be
 * collected for that. */
static int find_state(struct round *round, const struct cx_label *label,
                      const char **ret_state, struct cx_err *err)
{
	static const char *const text[] = {
		[CX_REGISTRY_LIVE] = "live",
		[CX_REGISTRY_ENDED] = "ended",
		[CX_REGISTRY_OVER_QUOTA] = "over_quota",
	};
	struct cx_db *db = &round->broker->db;
	enum cx_registry_state state = CX_REGISTRY_ENDED;
	int got = 0;

	*ret_state = "unknown";
	if (!label)
		return 0;
	if (*label->name || hook_says_live(round, label)) {
		*ret_state = "live";
		return 0;
	}
	if (cx_db_exists(db->state))
		got = *label->run_id ?
			cx_registry_find_run(db, label->org_id, label->run_id,
			                     &state, err) :
			cx_registry_find_job(db, label->job_id, &state, err);
	if (got > 0)
		*ret_state = text[state];
	return got < 0 ? -1 : 0;
}

static void add_time(json_t *shown, const char *name, int64_t seconds)
{
	char text[21];

	cx_clock_text(seconds, text);
	json_object_set_new(shown, name, json_string(text));
}

static void add_text(json_t *shown, const char *name, const char *text)
{
	if (*text)
		json_object_set_new(shown, name, json_string(text));
}

static json_t *show(const struct cx_shelf_item *it, const char *state)
{
	const struct cx_label *label = it->label;
	json_t *shown = json_object();

	add_text(shown, "key", it->key);
	if (label) {
		add_text(shown, "orgId", label->org_id);
		add_text(shown, "userId", label->user_id);
		add_text(shown, "runId", label->run_id);
		add_text(shown, "jobId", label->job_id);
		add_text(shown, "name", label->name);
	}
	add_text(shown, "state", it->dropped ? "ended" : state);
	json_object_set_new(shown, "busy", json_boolean(it->busy));
	/* in a file system of its own it isn't seen from here */
	if (!cx_disk_is(it->folder_fd))
		json_object_set_new(shown, "pending", json_boolean(
			cx_pending_is_there(it->folder_fd)));
	if (label) {
		add_time(shown, "madeAt", label->made);
		add_time(shown, "usedAt", label->used);
	}
	return shown;
}

static void add_extent(json_t *shown, int folder_fd)
{
	const struct cx_extent none = { 0, 0 };
	struct cx_extent extent = none;
	CX_AUTO_FD int data = openat(folder_fd, "data", O_RDONLY |
	                             O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (data >= 0 && cx_extent_measure(data, &none, &extent) < 0)
		extent = none;
	json_object_set_new(shown, "kib",
	                    json_integer((json_int_t)extent.kib));
	json_object_set_new(shown, "inodes",
	                    json_integer((json_int_t)extent.inodes));
}

static int list_one(const struct cx_shelf_item *it, void *context,
                    struct cx_err *err)
{
	struct round *round = context;
	const char *state;
	json_t *shown;

	if (round->org && (!it->label || !cx_str_same(it->label->org_id,
	                                              round->org)))
		return 0;
	if (find_state(round, it->label, &state, err) < 0)
		return -1;
	shown = show(it, state);
	add_extent(shown, it->folder_fd);
	json_array_append_new(round->list, shown);
	return 0;
}

int cx_inventory_list(struct cx_broker *broker, const char *org,
                      json_t **ret_doc, struct cx_err *err)
{
	CX_AUTO_JSON json_t *doc = json_pack("{s:[]}", "workspaces");
	struct round round = {
		.broker = broker, .org = org,
		.list = json_object_get(doc, "workspaces"),
	};

	if (cx_shelf_each(&broker->state, list_one, &round, err) < 0)
		return -1;
	*ret_doc = CX_TAKE(doc);
	return 0;
}

/* Nobody will use it again. One that has a name goes only when it is asked
 * for, and then as those go that weren't used for long. */
static bool is_over(const struct round *round, const struct cx_shelf_item *it,
                    const char *state)
{
	if (it->dropped || !it->label)
		return true;
	if (!CX_PROMISE(gc_spares_named, !*it->label->name || round->named))
		return false;
	if (!cx_str_same(state, "live") && !cx_str_same(state, "over_quota"))
		return true;
	return round->unused_s > 0 &&
	       it->label->used + round->unused_s < round->now;
}

static int collect_one(const struct cx_shelf_item *it, void *context,
                       struct cx_err *err)
{
	struct round *round = context;
	const char *state;
	bool gone = false;

	if (find_state(round, it->label, &state, err) < 0)
		return -1;
	if (!it->busy && is_over(round, it, state)) {
		gone = round->dry_run;
		if (!round->dry_run && cx_shelf_collect(it, &gone, err) < 0)
			return -1;
	}
	if (gone)
		json_array_append_new(round->list, show(it, state));
	else
		round->kept++;
	return 0;
}

int cx_inventory_gc(struct cx_broker *broker,
                    const struct cx_inventory_rule *rule, json_t **ret_doc,
                    struct cx_err *err)
{
	CX_AUTO_JSON json_t *doc = json_pack("{s:[]}", "removed");
	struct round round = {
		.broker = broker, .unused_s = rule->unused_s,
		.named = rule->named, .dry_run = rule->dry_run,
		.now = cx_clock_wall_ms() / 1000,
		.list = json_object_get(doc, "removed"),
	};

	if (!rule->dry_run)
		cx_begun_sweep(broker);
	if (cx_shelf_each(&broker->state, collect_one, &round, err) < 0)
		return -1;
	json_object_set_new(doc, "kept", json_integer(round.kept));
	*ret_doc = CX_TAKE(doc);
	return 0;
}
