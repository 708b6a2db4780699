/* workspace.c - see workspace.h. */
#include "run/workspace.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/mem.h"
#include "box/box.h"
#include "store/fresh.h"
#include "store/tarin.h"
#include "store/tarout.h"
#include "store/volume.h"

#define TEXT(name_, about_) \
	{ .name = (name_), .kind = CX_SHAPE_TEXT, .about = (about_) }
#define NUMBER(name_, about_) \
	{ .name = (name_), .kind = CX_SHAPE_NUMBER, .about = (about_) }
#define END { .name = NULL }

static const struct cx_shape file_member[] = {
	TEXT("path", "From the workspace."),
	TEXT("pathBase64", "Its bytes, where they aren't UTF-8."),
	TEXT("type", "file, folder, link, hardlink; pipe, socket and device "
	     "are listed only."),
	NUMBER("size", "Bytes of a file."),
	TEXT("mode", "Permission bits, octal."),
	{ .name = "sha256", .kind = CX_SHAPE_TEXT, .nullable = true,
	  .about = "Digest of a file; null over 4 GiB." },
	TEXT("target", "Of a link."),
	TEXT("targetBase64", "Its bytes, where they aren't UTF-8."),
	{ .name = "sparse", .kind = CX_SHAPE_BOOL, .about = "It has holes." },
	END,
};
static const struct cx_shape file = {
	.kind = CX_SHAPE_OBJECT, .sub = file_member,
};
static const struct cx_shape files_member[] = {
	{ .name = "files", .kind = CX_SHAPE_LIST, .sub = &file,
	  .required = true, .about = "Every entry, in the archive's order." },
	{ .name = "truncated", .kind = CX_SHAPE_BOOL,
	  .about = "There are more: their paths are too long to list." },
	END,
};
const struct cx_shape cx_workspace_files_shape = {
	.kind = CX_SHAPE_OBJECT, .sub = files_member, .open = true,
};

static int owner_of(const struct cx_workspace_words *words,
                    struct cx_volume_owner *ret, struct cx_err *err)
{
	if (!words->org || !!words->run + !!words->job + !!words->name != 1)
		return cx_err_set(err, CX_E_USAGE, "say which workspace: --org "
		                  "ID and one of --workspace NAME, --run ID "
		                  "and --job ID");
	*ret = (struct cx_volume_owner){
		.org_id = words->org,
		.user_id = words->user ? words->user : "",
		.run_id = words->run,
		.job_id = words->job,
		.name = words->name,
	};
	return 0;
}

int cx_workspace_find(struct cx_broker *broker,
                      const struct cx_workspace_words *words,
                      enum cx_turn_mode mode, bool make,
                      struct cx_volume *ret, struct cx_err *err)
{
	const struct cx_turn turn = {
		.mode = mode, .wait_ms = words->wait_ms, .cancel_fd = -1,
	};
	struct cx_volume_owner owner;

	if (owner_of(words, &owner, err) < 0)
		return -1;
	return (make && owner.name ? cx_volume_open : cx_volume_find)(
		&broker->state, &owner, &turn, ret, err);
}

int cx_workspace_export(struct cx_broker *broker,
                        const struct cx_workspace_words *words, int out_fd,
                        json_t **ret_doc, struct cx_err *err)
{
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;
	CX_AUTO_JSON json_t *doc = json_pack("{s:[]}", "files");
	json_t *files = ret_doc ? json_object_get(doc, "files") : NULL;
	bool truncated;

	if (cx_workspace_find(broker, words, CX_TURN_SHARED, false, &volume,
	                      err) < 0 ||
	    cx_tarout_write(volume.data_fd, out_fd, files, &truncated,
	                    err) < 0)
		return -1;
	if (!ret_doc)
		return 0;
	if (truncated)
		json_object_set_new(doc, "truncated", json_true());
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

	if (cx_workspace_find(broker, words, words->name ? CX_TURN_ALONE
	                      : CX_TURN_SHARED, true, &volume, err) < 0 ||
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
	    cx_workspace_find(broker, words, CX_TURN_NONE, false, &volume,
	                      err) < 0)
		return -1;
	cx_volume_done(&volume);
	if (cx_volume_drop(&broker->state, &owner, &gone, err) < 0)
		return -1;
	*ret_waits = !gone;
	return 0;
}
