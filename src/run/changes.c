/* changes.c - see changes.h. */
#include "run/changes.h"

#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/digest.h"
#include "store/diff.h"
#include "store/regular.h"

static const char *const kinds[] = { "added", "modified", "deleted", NULL };

#define TEXT(name_, about_) \
	{ .name = (name_), .kind = CX_SHAPE_TEXT, .about = (about_) }
#define NUMBER(name_, about_) \
	{ .name = (name_), .kind = CX_SHAPE_NUMBER, .about = (about_) }
#define SIDE \
	TEXT("type", "file, folder, link, pipe, socket or device."), \
	NUMBER("size", "Bytes of a file."), \
	TEXT("mode", "Permission bits, octal."), \
	{ .name = "sha256", .kind = CX_SHAPE_TEXT, .nullable = true, \
	  .about = "Digest of a file; null where there was too much to " \
	           "digest." }, \
	TEXT("target", "Of a link."), \
	TEXT("targetBase64", "Its bytes, where they aren't UTF-8.")

static const struct cx_shape was_member[] = {
	SIDE, { .name = NULL },
};
static const struct cx_shape entry_member[] = {
	TEXT("path", "From the workspace; \".\" is itself."),
	TEXT("pathBase64", "Its bytes, where they aren't UTF-8."),
	{ .name = "change", .kind = CX_SHAPE_TEXT, .word = kinds,
	  .about = "What became of it." },
	SIDE,
	{ .name = "attributes", .kind = CX_SHAPE_BOOL,
	  .about = "True: extended attributes differ." },
	{ .name = "was", .kind = CX_SHAPE_OBJECT, .sub = was_member,
	  .about = "What was modified, as it was." },
	{ .name = NULL },
};
static const struct cx_shape entry = {
	.kind = CX_SHAPE_OBJECT, .sub = entry_member,
};
const struct cx_shape cx_changes_member[] = {
	NUMBER("added", "How many were added."),
	NUMBER("modified", "How many were modified."),
	NUMBER("deleted", "How many were deleted."),
	{ .name = "truncated", .kind = CX_SHAPE_BOOL,
	  .about = "There are more than entries holds." },
	{ .name = "entries", .kind = CX_SHAPE_LIST, .sub = &entry,
	  .about = "Each of them, by its path." },
	{ .name = "kept", .kind = CX_SHAPE_BOOL,
	  .about = "They wait for workspace diff --commit." },
	{ .name = NULL },
};

struct item {
	char *path;     /* owned */
	json_t *entry;  /* owned */
};

struct list {
	struct item *item;
	size_t count, capacity;
	size_t bytes;             /* of their paths */
	uint64_t digested;
	json_int_t of[3];         /* by kind */
	bool truncated;
};

static const char *type_text(mode_t mode)
{
	if (S_ISREG(mode))
		return "file";
	if (S_ISDIR(mode))
		return "folder";
	if (S_ISLNK(mode))
		return "link";
	return S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : "device";
}

static json_t *digest(struct list *list, const struct cx_diff_side *side,
                      const char *name)
{
	struct cx_digest sum;
	char text[CX_DIGEST_TEXT];
	struct stat stat;
	CX_AUTO_FD int fd = -1;

	if ((uint64_t)side->stat.st_size >
	    CX_CHANGES_DIGEST_MAX_BYTES - list->digested)
		return json_null();
	list->digested += (uint64_t)side->stat.st_size;
	fd = cx_regular_open(side->folder_fd, name, &stat);
	if (fd < 0 || cx_regular_digest(fd, (uint64_t)stat.st_size, &sum) < 0)
		return json_null();
	cx_digest_text(&sum, text);
	return json_string(text);
}

static void describe(struct list *list, const struct cx_diff_side *side,
                     const char *name, json_t *ret)
{
	mode_t mode = side->stat.st_mode;
	char text[4097];
	ssize_t n;

	json_object_set_new(ret, "type", json_string(type_text(mode)));
	if (S_ISLNK(mode)) {
		n = readlinkat(side->folder_fd, name, text, sizeof text);
		if (n >= 0)
			cx_json_set_bytes(ret, "target", text, (size_t)n);
		return;
	}
	snprintf(text, sizeof text, "%04o", mode & 07777U);
	json_object_set_new(ret, "mode", json_string(text));
	if (!S_ISREG(mode))
		return;
	json_object_set_new(ret, "size", json_integer(side->stat.st_size));
	json_object_set_new(ret, "sha256", digest(list, side, name));
}

static json_t *show(struct list *list, const struct cx_diff_change *change)
{
	json_t *shown = json_object();
	json_t *was;

	cx_json_set_bytes(shown, "path", change->path,
	                     strlen(change->path));
	json_object_set_new(shown, "change", json_string(kinds[change->kind]));
	if (change->kind == CX_DIFF_DELETED) {
		describe(list, &change->was, change->name, shown);
		return shown;
	}
	describe(list, &change->is, change->name, shown);
	if (change->attributes)
		json_object_set_new(shown, "attributes", json_true());
	if (change->kind == CX_DIFF_MODIFIED) {
		was = json_object();
		describe(list, &change->was, change->name, was);
		json_object_set_new(shown, "was", was);
	}
	return shown;
}

static int add(const struct cx_diff_change *change, void *context,
               struct cx_err *err)
{
	struct list *list = context;
	size_t size = strlen(change->path);

	(void)err;
	list->of[change->kind]++;
	if (list->count == CX_CHANGES_MAX ||
	    size > CX_CHANGES_MAX_BYTES - list->bytes) {
		list->truncated = true;
		return 0;
	}
	list->bytes += size;
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? list->capacity * 2 : 16;
		list->item = cx_mem_grow(list->item, list->capacity,
		                         sizeof *list->item);
	}
	list->item[list->count++] = (struct item){
		cx_mem_text(change->path), show(list, change),
	};
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->path,
	              ((const struct item *)b)->path);
}

/* Into one document; what isn't taken is let go. */
static json_t *gather(struct list *list, bool wanted)
{
	json_t *entries = json_array();
	json_t *doc = json_pack("{s:I, s:I, s:I, s:b, s:o}", "added",
	                        list->of[CX_DIFF_ADDED], "modified",
	                        list->of[CX_DIFF_MODIFIED], "deleted",
	                        list->of[CX_DIFF_DELETED], "truncated",
	                        list->truncated, "entries", entries);

	if (wanted && list->count)
		qsort(list->item, list->count, sizeof *list->item, by_path);
	for (size_t i = 0; i < list->count; i++) {
		json_array_append_new(entries, list->item[i].entry);
		free(list->item[i].path);
	}
	free(list->item);
	return doc;
}

int cx_changes_list(int was_fd, int is_fd, json_t **ret, struct cx_err *err)
{
	struct list list = { .count = 0 };
	int done = cx_diff_trees(was_fd, is_fd, add, &list, err);
	json_t *doc = gather(&list, done == 0);

	if (done < 0) {
		json_decref(doc);
		return -1;
	}
	*ret = doc;
	return 0;
}

static void quote(const char *text, struct cx_buf *ret)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.:@/+,";

	if (*text && cx_str_only(text, plain)) {
		cx_buf_text(ret, text);
		return;
	}
	cx_buf_byte(ret, '\'');
	for (; *text; text++)
		if (*text == '\'')
			cx_buf_text(ret, "'\\''");
		else
			cx_buf_byte(ret, *text);
	cx_buf_byte(ret, '\'');
}

void cx_changes_where(const struct cx_volume_owner *owner, struct cx_buf *ret)
{
	cx_buf_text(ret, "--org ");
	quote(owner->org_id, ret);
	cx_buf_text(ret, owner->name ? " --workspace "
	                 : owner->job_id ? " --job " : " --run ");
	quote(owner->name ? owner->name : owner->job_id ? owner->job_id
	      : owner->run_id, ret);
}

void cx_changes_tell(const json_t *changes, const char *where,
                     char **ret_text)
{
	bool kept = cx_json_is_true(changes, "kept");

	*ret_text = NULL;
	if (!changes)
		return;
	*ret_text = cx_mem_print("dry run: %lld added, %lld modified, %lld "
	                         "deleted%s%s", (long long)
	                         cx_json_number(changes, "added", 0),
	                         (long long)
	                         cx_json_number(changes, "modified", 0),
	                         (long long)
	                         cx_json_number(changes, "deleted", 0),
	                         kept ? "; shown by, and with --commit or "
	                         "--discard ended by: cx-run workspace diff "
	                         : "", kept ? where : "");
}
