/* health.c - see health.h. */
#include "audit/health.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "model/margin.h"
#include "store/history.h"
#include "store/state.h"

#define COUNT(name_, about_) \
	{ .name = name_, .kind = CX_SHAPE_NUMBER, .required = true, \
	  .max = INT64_MAX, .about = about_ }

static const struct cx_shape member[] = {
	{ .name = "apiVersion", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "cx/v1" },
	{ .name = "origin", .kind = CX_SHAPE_TEXT, .required = true,
	  .nullable = true, .about = "The log's name; null without a log." },
	COUNT("records", "Numbers given so far."),
	{ .name = "lastAt", .kind = CX_SHAPE_TEXT, .required = true,
	  .nullable = true, .about = "When the last one was recorded (UTC)." },
	COUNT("segments", "Files of records."),
	COUNT("bytes", "Bytes in them."),
	COUNT("quarantineFiles", "Pieces that recovery set aside."),
	COUNT("quarantineBytes", "Bytes in them."),
	COUNT("missing", "Records that couldn't be written since the last "
	      "one; the next one says so beside it."),
	{ .name = NULL },
};

const struct cx_shape cx_health_shape = {
	.name = "status", .kind = CX_SHAPE_OBJECT, .sub = member,
	.about = "How the log is.",
};

struct total { json_int_t files, bytes; };

/* Files of a folder whose names end in suffix. */
static struct total add_up(int dir_fd, const char *name, const char *suffix)
{
	struct total total = { 0, 0 };
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
	                O_NOFOLLOW);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		const char *end = strrchr(entry->d_name, '.');
		struct stat st;

		if (entry->d_name[0] == '.' || !end ||
		    (suffix && strcmp(end, suffix) != 0) ||
		    fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		total.files++;
		total.bytes += st.st_size;
	}
	if (folder)
		closedir(folder);
	else
		cx_fd_close_at(&fd);
	return total;
}

/* The last whole line of the newest segment's .meta; false when none. */
static bool find_last(const struct cx_history *history,
                      struct cx_margin *ret)
{
	char name[32], tail[2 * CX_MARGIN_MAX];
	CX_AUTO_FD int fd = -1;
	struct stat st;
	off_t from;
	ssize_t n;
	const char *end, *line;

	if (history->count == 0)
		return false;
	cx_salvage_name(history->first[history->count - 1], "meta", name);
	fd = openat(history->dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	from = st.st_size > (off_t)sizeof tail ? st.st_size -
	                                         (off_t)sizeof tail : 0;
	n = pread(fd, tail, sizeof tail, from);
	end = n > 0 ? memrchr(tail, '\n', (size_t)n) : NULL;
	line = end && end > tail ? memrchr(tail, '\n', (size_t)(end - tail))
	                         : NULL;
	line = line ? line + 1 : tail;
	return end && cx_margin_read(line, (size_t)(end - line), ret);
}

static json_int_t missing(int dir_fd)
{
	CX_AUTO_FD int fd = openat(dir_fd, "lock", O_RDONLY | O_CLOEXEC |
	                           O_NOFOLLOW);
	struct cx_tail_boot boot;
	struct cx_tail tail;

	cx_tail_boot_now(&boot);
	if (fd < 0 || cx_tail_load(fd, &boot, &tail) == CX_TAIL_NONE)
		return 0;
	return (json_int_t)tail.gap;
}

static void set_total(json_t *document, const char *files, const char *bytes,
                      struct total total)
{
	json_object_set_new(document, files, json_integer(total.files));
	json_object_set_new(document, bytes, json_integer(total.bytes));
}

static void fill(const struct cx_history *history, json_t *document)
{
	struct cx_margin last;
	bool has_last = find_last(history, &last);

	json_object_set_new(document, "records", json_integer(
		has_last ? (json_int_t)last.index + 1
		: history->count > 0 ? (json_int_t)history->first[
			history->count - 1] : 0));
	json_object_set_new(document, "lastAt",
	                    has_last ? json_string(last.at) : json_null());
	set_total(document, "segments", "bytes",
	          add_up(history->dir_fd, ".", ".ndjson"));
	set_total(document, "quarantineFiles", "quarantineBytes",
	          add_up(history->dir_fd, "quarantine", NULL));
	json_object_set_new(document, "missing",
	                    json_integer(missing(history->dir_fd)));
}

static int open_audit(int *ret_fd, struct cx_err *err)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;

	if (cx_state_find(&state, err) < 0)
		return err->sys == ENOENT ? 0 : -1;
	return cx_state_peek(&state, CX_STATE_AUDIT, ret_fd, err);
}

int cx_health_look(json_t **ret_document, struct cx_err *err)
{
	CX_AUTO_HISTORY struct cx_history history = { .dir_fd = -1,
	                                              .files = { -1, -1 } };
	CX_AUTO_FD int audit = -1;
	char origin[40] = "";
	ssize_t n = -1;

	if (open_audit(&audit, err) < 0)
		return -1;
	if (audit >= 0)
		n = readlinkat(audit, "self", origin, sizeof origin - 1);
	if (n > 0 && cx_history_open(audit, origin, &history, err) < 0)
		return -1;
	*ret_document = json_object();
	json_object_set_new(*ret_document, "apiVersion", json_string("cx/v1"));
	json_object_set_new(*ret_document, "origin",
	                    n > 0 ? json_string(origin) : json_null());
	fill(&history, *ret_document);
	return 0;
}
