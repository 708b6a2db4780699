/* workspace.c - see workspace.h. */
#include "run/workspace.h"

#include <errno.h>
#include <fcntl.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "box/box.h"
#include "plane/registry.h"
#include "run/begun.h"
#include "run/trust.h"
#include "store/extent.h"
#include "store/fresh.h"
#include "store/shelf.h"
#include "store/tarin.h"
#include "store/tarout.h"
#include "store/volume.h"

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
	TEXT("state", "live, ended, over_quota, or unknown."),
	{ .name = "busy", .kind = CX_SHAPE_BOOL, .about = "In use now." },
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
const struct cx_shape cx_workspace_list_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = list_member, .open = true,
};

static const struct cx_shape file_member[] = {
	TEXT("path", "From the workspace."),
	TEXT("type", "file, folder, link, hardlink; pipe, socket and device "
	     "are listed only."),
	NUMBER("size", "Bytes of a file."),
	TEXT("mode", "Permission bits, octal."),
	{ .name = "sha256", .kind = CX_SHAPE_TEXT, .nullable = true,
	  .about = "Digest of a file; null over 4 GiB." },
	TEXT("target", "Of a link."),
	{ .name = "sparse", .kind = CX_SHAPE_BOOL, .about = "It has holes." },
	END,
};
static const struct cx_shape file = {
	.kind = CX_SHAPE_OBJECT, .sub = file_member,
};
static const struct cx_shape files_member[] = {
	{ .name = "files", .kind = CX_SHAPE_LIST, .sub = &file,
	  .required = true, .about = "Every entry, in the archive's order." },
	END,
};
const struct cx_shape cx_workspace_files_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = files_member, .open = true,
};

static const struct cx_shape gone_member[] = {
	{ .name = "removed", .kind = CX_SHAPE_LIST, .sub = &item,
	  .about = "Those that were removed." },
	NUMBER("kept", "How many were kept."),
	END,
};
const struct cx_shape cx_workspace_gone_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = gone_member, .open = true,
};

static int owner_of(const struct cx_workspace_words *words,
                    struct cx_volume_owner *ret, struct cx_err *err)
{
	if (!words->org || !words->run == !words->job)
		return cx_err_set(err, CX_E_USAGE, "say which workspace: --org "
		                  "ID and one of --run ID and --job ID");
	*ret = (struct cx_volume_owner){
		.org_id = words->org,
		.user_id = words->user ? words->user : "",
		.run_id = words->run,
		.job_id = words->job,
	};
	return 0;
}

static int find(struct cx_broker *broker,
                const struct cx_workspace_words *words,
                struct cx_volume *ret, struct cx_err *err)
{
	struct cx_volume_owner owner;

	if (owner_of(words, &owner, err) < 0)
		return -1;
	return cx_volume_find(&broker->state, &owner, ret, err);
}

int cx_workspace_export(struct cx_broker *broker,
                        const struct cx_workspace_words *words, int out_fd,
                        json_t **ret_doc, struct cx_err *err)
{
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;
	CX_AUTO_JSON json_t *doc = json_pack("{s:[]}", "files");

	if (find(broker, words, &volume, err) < 0 ||
	    cx_tarout_write(volume.data_fd, out_fd,
	                    json_object_get(doc, "files"), err) < 0)
		return -1;
	*ret_doc = CX_TAKE(doc);
	return 0;
}

static int open_parent(const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	CX_AUTO_FREE char *parent = slash == path ? cx_mem_text("/") :
		slash ? cx_mem_copy(path, (size_t)(slash - path))
		      : cx_mem_text(".");

	*ret_name = slash ? slash + 1 : path;
	return open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int cx_workspace_export_file(struct cx_broker *broker,
                             const struct cx_workspace_words *words,
                             const char *path, json_t **ret_doc,
                             struct cx_err *err)
{
	CX_AUTO_FRESH struct cx_fresh fresh = CX_FRESH_NONE;
	const char *name;
	CX_AUTO_FD int folder = open_parent(path, &name);

	if (folder < 0 || cx_fresh_make(folder, &fresh) < 0) {
		cx_err_sys(err, CX_E_IO_ERROR, "make %.400s", path);
		err->status = 73;
		return -1;
	}
	if (cx_workspace_export(broker, words, fresh.fd, ret_doc, err) < 0)
		return -1;
	if (fsync(fresh.fd) < 0 || cx_fresh_place(&fresh, name) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "write %.400s", path);
	return 0;
}

int cx_workspace_import(struct cx_broker *broker,
                        const struct cx_workspace_words *words, int in_fd,
                        json_t **ret_doc, struct cx_err *err)
{
	const struct cx_quota *quota = &broker->config.limits;
	const struct cx_tarin_rule rule = {
		.max = { quota->workspace_kib, quota->inodes },
		.chown = cx_box_is_privileged(),
		.owner = CX_PROFILE_ID,
	};
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;
	CX_AUTO_JSON json_t *doc = json_pack("{s:[]}", "files");

	if (find(broker, words, &volume, err) < 0 ||
	    cx_tarin_read(in_fd, volume.data_fd, &rule,
	                  json_object_get(doc, "files"), err) < 0)
		return -1;
	*ret_doc = CX_TAKE(doc);
	return 0;
}

int cx_workspace_rm(struct cx_broker *broker,
                    const struct cx_workspace_words *words, bool *ret_waits,
                    struct cx_err *err)
{
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;
	struct cx_volume_owner owner;
	bool gone;

	/* found first: what isn't there can't be removed */
	if (owner_of(words, &owner, err) < 0 ||
	    cx_volume_find(&broker->state, &owner, &volume, err) < 0)
		return -1;
	cx_volume_done(&volume);
	if (cx_volume_drop(&broker->state, &owner, &gone, err) < 0)
		return -1;
	*ret_waits = !gone;
	return 0;
}

/* One round over all workspaces. */
struct round {
	struct cx_broker *broker;
	const char *org;       /* NULL: all */
	int64_t unused_s;      /* 0: however long */
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
	if (hook_says_live(round, label)) {
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
	}
	add_text(shown, "state", it->dropped ? "ended" : state);
	json_object_set_new(shown, "busy", json_boolean(it->busy));
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

int cx_workspace_list(struct cx_broker *broker, const char *org,
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

/* Nobody will use it again. */
static bool is_over(const struct round *round, const struct cx_shelf_item *it,
                    const char *state)
{
	if (it->dropped || !it->label)
		return true;
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

int cx_workspace_gc(struct cx_broker *broker, int64_t unused_s, bool dry_run,
                    json_t **ret_doc, struct cx_err *err)
{
	CX_AUTO_JSON json_t *doc = json_pack("{s:[]}", "removed");
	struct round round = {
		.broker = broker, .unused_s = unused_s, .dry_run = dry_run,
		.now = cx_clock_wall_ms() / 1000,
		.list = json_object_get(doc, "removed"),
	};

	if (!dry_run)
		cx_begun_sweep(broker);
	if (cx_shelf_each(&broker->state, collect_one, &round, err) < 0)
		return -1;
	json_object_set_new(doc, "kept", json_integer(round.kept));
	*ret_doc = CX_TAKE(doc);
	return 0;
}
