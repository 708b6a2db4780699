/* history.c - see history.h. */
#include "store/history.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_segments(struct cx_history *history, struct cx_err *err)
{
	DIR *folder = cx_path_list(history->dir_fd);
	struct dirent *entry;

	if (!folder)
		return cx_err_sys(err, CX_E_IO_ERROR, "list the log's folder");
	while ((entry = readdir(folder))) {
		uint64_t first;

		if (!cx_salvage_number(entry->d_name, "ndjson", &first))
			continue;
		history->first = cx_mem_grow(history->first,
		                             history->count + 1,
		                             sizeof *history->first);
		history->first[history->count++] = first;
	}
	closedir(folder);
	if (history->count > 0)
		qsort(history->first, history->count, sizeof *history->first,
		      compare);
	return 0;
}

int cx_history_open(int audit_fd, const char *origin, struct cx_history *ret,
                    struct cx_err *err)
{
	*ret = (struct cx_history){ .files = { -1, -1 } };
	ret->dir_fd = openat(audit_fd, origin, O_RDONLY | O_DIRECTORY |
	                     O_CLOEXEC | O_NOFOLLOW);
	if (ret->dir_fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open the log");
	if (list_segments(ret, err) < 0) {
		cx_history_done(ret);
		return -1;
	}
	if (ret->count > 0)
		ret->index = ret->first[0];
	return 0;
}

static void close_segment(struct cx_history *history)
{
	if (!history->is_open)
		return;
	cx_lines_done(&history->event);
	cx_lines_done(&history->meta);
	cx_salvage_close(&history->files);
	history->is_open = false;
}

void cx_history_done(struct cx_history *history)
{
	close_segment(history);
	cx_fd_close_at(&history->dir_fd);
	free(history->first);
	history->first = NULL;
}

static int open_file(int dir_fd, uint64_t first, const char *suffix)
{
	char name[32];

	cx_salvage_name(first, suffix, name);
	return openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

/* A missing .meta reads as an empty one: its records show as damaged. */
static int open_segment(struct cx_history *history, struct cx_err *err)
{
	uint64_t first = history->first[history->at];

	history->files.event_fd = open_file(history->dir_fd, first, "ndjson");
	if (history->files.event_fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open the log");
	history->files.meta_fd = open_file(history->dir_fd, first, "meta");
	if (history->files.meta_fd < 0)
		history->files.meta_fd = open("/dev/null",
		                              O_RDONLY | O_CLOEXEC);
	cx_lines_open(history->files.event_fd, 0, &history->event);
	cx_lines_open(history->files.meta_fd, 0, &history->meta);
	history->is_open = true;
	return 0;
}

/* A jump is said once; what comes behind it is counted from there. */
static void follow(struct cx_history *history, struct cx_history_row *ret)
{
	ret->damage = "its number doesn't follow the one before";
	ret->index = ret->margin.index;
	history->index = ret->margin.index + 1;
}

/* A pair of lines, or an event without its margin: 1. At the end: 0. */
static int read_pair(struct cx_history *history, struct cx_history_row *ret,
                     struct cx_err *err)
{
	const char *line = NULL, *margin = NULL;
	size_t size = 0, margin_size = 0;
	int got = cx_lines_next(&history->event, &line, &size);
	int got_margin = got <= 0 ? got : cx_lines_next(&history->meta, &margin,
	                                               &margin_size);

	if (got < 0 || got_margin < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read the log");
	if (got == 0)
		return 0;
	*ret = (struct cx_history_row){
		.index = history->index++,
		.line = line,
		.size = size,
	};
	if (!line)
		ret->damage = "its line is too long";
	else if (got_margin == 0)
		ret->damage = "it has no time and key beside it";
	else if (!margin || !cx_margin_read(margin, margin_size, &ret->margin))
		ret->damage = "its time and key can't be read";
	else if (ret->margin.index != ret->index)
		follow(history, ret);
	return 1;
}

/* At the end of a segment: damage that stands between it and the next one. */
static const char *judge_end(struct cx_history *history)
{
	const char *margin = NULL;
	size_t size = 0;

	if (history->at + 1 >= history->count)
		return NULL; /* the newest: a writer may be at work */
	if (cx_lines_is_torn(&history->event))
		return "a torn line stands before it";
	if (cx_lines_next(&history->meta, &margin, &size) == 1)
		return "records before it are missing";
	if (history->first[history->at + 1] != history->index)
		return "records before it are missing";
	return NULL;
}

int cx_history_next(struct cx_history *history, struct cx_history_row *ret,
                    struct cx_err *err)
{
	const char *between = NULL;

	while (history->at < history->count) {
		int got;

		if (!history->is_open && open_segment(history, err) < 0)
			return -1;
		got = read_pair(history, ret, err);
		if (got != 0) {
			if (got > 0 && between && !ret->damage)
				ret->damage = between;
			return got;
		}
		between = judge_end(history);
		close_segment(history);
		if (++history->at < history->count)
			history->index = history->first[history->at];
	}
	return 0;
}

char **cx_history_origins(int audit_fd)
{
	DIR *folder = cx_path_list(audit_fd);
	char **list = cx_mem_array(1, sizeof *list);
	struct dirent *entry;
	size_t count = 0;

	while (folder && (entry = readdir(folder))) {
		if (entry->d_type == DT_LNK || entry->d_name[0] == '.')
			continue;
		list = cx_mem_grow(list, count + 2, sizeof *list);
		list[count++] = cx_mem_text(entry->d_name);
		list[count] = NULL;
	}
	if (folder)
		closedir(folder);
	qsort(list, count, sizeof *list, compare_text);
	return list;
}
