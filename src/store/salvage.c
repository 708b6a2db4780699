/* salvage.c - see salvage.h. */
#include "store/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/promise.h"
#include "base/str.h"
#include "model/row.h"
#include "model/margin.h"
#include "store/lines.h"

void cx_salvage_name(uint64_t first, const char *suffix, char ret[32])
{
	snprintf(ret, 32, "seg-%016llu.%s", (unsigned long long)first, suffix);
}

bool cx_salvage_number(const char *name, const char *suffix,
                       uint64_t *ret_first)
{
	unsigned long long first;
	char same[32];

	if (sscanf(name, "seg-%16llu.", &first) != 1)
		return false;
	cx_salvage_name(first, suffix, same);
	if (!cx_str_same(name, same))
		return false;
	*ret_first = first;
	return true;
}

void cx_salvage_close(struct cx_salvage_files *files)
{
	cx_fd_close_at(&files->event_fd);
	cx_fd_close_at(&files->meta_fd);
}

static int open_one(int dir_fd, uint64_t first, const char *suffix,
                    struct cx_err *err)
{
	char name[32];
	int fd;

	cx_salvage_name(first, suffix, name);
	fd = openat(dir_fd, name, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC |
	            O_NOFOLLOW | O_NOCTTY, 0600);
	if (fd < 0)
		cx_err_sys(err, CX_E_IO_ERROR, "open the log's %s", name);
	return fd;
}

int cx_salvage_open(int dir_fd, uint64_t first,
                    struct cx_salvage_files *ret, struct cx_err *err)
{
	CX_AUTO_SALVAGE_FILES struct cx_salvage_files files = { -1, -1 };

	files.meta_fd = open_one(dir_fd, first, "meta", err);
	if (files.meta_fd < 0)
		return -1;
	files.event_fd = open_one(dir_fd, first, "ndjson", err);
	if (files.event_fd < 0)
		return -1;
	ret->event_fd = cx_fd_take(&files.event_fd);
	ret->meta_fd = cx_fd_take(&files.meta_fd);
	return 0;
}

static int size_of(int fd, uint64_t *ret_size, struct cx_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "look at the log");
	*ret_size = (uint64_t)st.st_size;
	return 0;
}

/* The two highest first indexes of the folder; false when there is none. */
static bool find_newest(int dir_fd, struct cx_tail *tail)
{
	DIR *folder = cx_path_list(dir_fd);
	struct dirent *entry;
	uint64_t count = 0;

	while (folder && (entry = readdir(folder))) {
		uint64_t first;

		if (!cx_salvage_number(entry->d_name, "ndjson", &first))
			continue;
		if (count++ == 0 || first > tail->first) {
			tail->previous = count == 1 ? first : tail->first;
			tail->first = first;
		} else if (tail->previous == tail->first ||
		           first > tail->previous) {
			tail->previous = first;
		}
	}
	if (folder)
		closedir(folder);
	return count > 0;
}

/* strict: the event must fit its shape, too. */
static bool is_pair(const char *event, size_t event_size, const char *meta,
                    size_t meta_size, uint64_t index, bool strict,
                    struct cx_margin *ret_margin)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_event read;

	if (!meta || !cx_margin_read(meta, meta_size, ret_margin) ||
	    ret_margin->index != index)
		return false;
	if (!event)
		return !strict;
	if (strict)
		return CX_PROMISE(log_adopts_whole,
		                  cx_row_read(event, event_size, &read, &text));
	return memchr(event, '\0', event_size) == NULL;
}

/* Walks both files from the end that *tail names, and moves that end on. */
static int walk(const struct cx_salvage_files *files, bool strict,
                struct cx_tail *tail, struct cx_err *err)
{
	struct cx_lines event, meta;
	int got = 1;

	cx_lines_open(files->event_fd, tail->event_bytes, &event);
	cx_lines_open(files->meta_fd, tail->meta_bytes, &meta);
	while (got == 1) {
		const char *line = NULL, *margin_line = NULL;
		size_t size = 0, margin_size = 0;
		struct cx_margin margin;

		got = cx_lines_next(&meta, &margin_line, &margin_size);
		if (got == 1)
			got = cx_lines_next(&event, &line, &size);
		if (got != 1 || !is_pair(line, size, margin_line, margin_size,
		                         tail->next, strict, &margin))
			break;
		tail->event_bytes = event.at;
		tail->meta_bytes = meta.at;
		tail->next++;
		tail->day = cx_margin_day(margin.at);
	}
	cx_lines_done(&event);
	cx_lines_done(&meta);
	return got < 0 ? cx_err_sys(err, CX_E_IO_ERROR, "read the log") : 0;
}

static int copy_rest(int from_fd, uint64_t at, uint64_t size, int to_fd)
{
	char block[32768];

	while (at < size) {
		size_t want = size - at < sizeof block ? (size_t)(size - at)
		                                       : sizeof block;
		ssize_t n = pread(from_fd, block, want, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0 || cx_fd_write(to_fd, block, (size_t)n) < 0)
			return -1;
		at += (uint64_t)n;
	}
	return fsync(to_fd);
}

/* A file of quarantine/ that wasn't there before. */
static int open_quarantine(int dir_fd, uint64_t first, const char *suffix,
                           uint64_t end)
{
	int fd = -1;

	if (mkdirat(dir_fd, "quarantine", 0700) < 0 && errno != EEXIST)
		return -1;
	for (unsigned i = 0; fd < 0 && i < 100000; i++) {
		char name[96];

		snprintf(name, sizeof name,
		         "quarantine/seg-%016llu-%llu-%u.%s",
		         (unsigned long long)first, (unsigned long long)end,
		         i, suffix);
		fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL |
		            O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

/* What stands behind end goes to quarantine, and the file ends there. */
static int cut(int dir_fd, int fd, const char *suffix,
               const struct cx_tail *tail, uint64_t end, uint64_t *torn_bytes,
               struct cx_err *err)
{
	CX_AUTO_FD int aside = -1;
	uint64_t size;

	if (size_of(fd, &size, err) < 0)
		return -1;
	if (size <= end)
		return 0;
	aside = open_quarantine(dir_fd, tail->first, suffix, end);
	if (aside < 0 || copy_rest(fd, end, size, aside) < 0 ||
	    ftruncate(fd, (off_t)end) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR,
		                  "set torn bytes of the log aside");
	*torn_bytes += size - end;
	return 0;
}

static int recover(int dir_fd, const struct cx_salvage_files *files,
                   bool strict, struct cx_tail *tail, uint64_t *torn_bytes,
                   struct cx_err *err)
{
	if (walk(files, strict, tail, err) < 0)
		return -1;
	if (cut(dir_fd, files->event_fd, "ndjson", tail, tail->event_bytes,
	        torn_bytes, err) < 0)
		return -1;
	return cut(dir_fd, files->meta_fd, "meta", tail, tail->meta_bytes,
	           torn_bytes, err);
}

/* The newest segment from its beginning. known is the cache, if there was. */
static int start_over(int dir_fd, const struct cx_tail *known,
                      struct cx_tail *ret_tail,
                      struct cx_salvage_files *files, uint64_t *torn_bytes,
                      struct cx_err *err)
{
	struct cx_tail tail = { 0 };

	cx_salvage_close(files);
	find_newest(dir_fd, &tail);
	tail.next = tail.first;
	if (cx_salvage_open(dir_fd, tail.first, files, err) < 0 ||
	    recover(dir_fd, files, false, &tail, torn_bytes, err) < 0)
		return -1;
	tail.gap = known ? known->gap : 0;
	if (known && known->next > tail.next)
		tail.gap += known->next - tail.next;
	/* what a group flush had reached is no longer known */
	if (unlinkat(dir_fd, "flush", 0) < 0 && errno != ENOENT)
		return cx_err_sys(err, CX_E_IO_ERROR, "reset the log's flush");
	*ret_tail = tail;
	return 0;
}

int cx_salvage_settle(int dir_fd, int lock_fd, const struct cx_tail_boot *boot,
                      struct cx_tail *ret_tail,
                      struct cx_salvage_files *ret_files,
                      uint64_t *torn_bytes, struct cx_err *err)
{
	CX_AUTO_SALVAGE_FILES struct cx_salvage_files files = { -1, -1 };
	struct cx_tail tail = { 0 };
	uint64_t event_bytes, meta_bytes;
	enum cx_tail_state state = cx_tail_load(lock_fd, boot, &tail);
	int result = 0;

	if (state == CX_TAIL_SOUND) {
		if (cx_salvage_open(dir_fd, tail.first, &files, err) < 0 ||
		    size_of(files.event_fd, &event_bytes, err) < 0 ||
		    size_of(files.meta_fd, &meta_bytes, err) < 0)
			return -1;
		if (event_bytes < tail.event_bytes ||
		    meta_bytes < tail.meta_bytes)
			result = start_over(dir_fd, &tail, &tail, &files,
			                    torn_bytes, err);
		else if (event_bytes > tail.event_bytes ||
		         meta_bytes > tail.meta_bytes)
			result = recover(dir_fd, &files, true, &tail,
			                 torn_bytes, err);
	} else {
		result = start_over(dir_fd,
		                    state == CX_TAIL_NONE ? NULL : &tail,
		                    &tail, &files, torn_bytes, err);
	}
	if (result < 0)
		return -1;
	*ret_tail = tail;
	ret_files->event_fd = cx_fd_take(&files.event_fd);
	ret_files->meta_fd = cx_fd_take(&files.meta_fd);
	return 0;
}
