/* segment.c - see segment.h. */
#include "store/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/hex.h"
#include "base/path.h"
#include "base/rand.h"
#include "base/str.h"
#include "model/margin.h"
#include "store/find.h"
#include "store/flush.h"
#include "store/salvage.h"

enum {
	PATIENCE_US = 5000000,
	NAP_NS = 20000,
	DAY_MS = 24 * 60 * 60 * 1000,
};

static bool is_origin(const char *text)
{
	return cx_path_name(text) &&
	       cx_str_only(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

static int read_self(int state_fd, char ret_origin[CX_SEGMENT_ORIGIN])
{
	ssize_t n = readlinkat(state_fd, "audit/self", ret_origin,
	                       CX_SEGMENT_ORIGIN - 1);

	if (n < 0)
		return -1;
	ret_origin[n] = '\0';
	if (!is_origin(ret_origin)) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

/* A link is made whole or not at all, so of many first writers one wins. */
static int make_self(int state_fd, char ret_origin[CX_SEGMENT_ORIGIN],
                     struct cx_err *err)
{
	uint8_t byte[16];

	if (cx_rand_fill(byte, sizeof byte, err) < 0)
		return -1;
	cx_hex_write(byte, sizeof byte, ret_origin);
	if (mkdirat(state_fd, "audit", 0700) < 0 && errno != EEXIST)
		return cx_err_sys(err, CX_E_IO_ERROR, "make the audit folder");
	if (symlinkat(ret_origin, state_fd, "audit/self") < 0 &&
	    errno != EEXIST)
		return cx_err_sys(err, CX_E_IO_ERROR, "name the log");
	if (read_self(state_fd, ret_origin) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read the log's name");
	return 0;
}

static int open_folder(int state_fd, const char *origin, struct cx_err *err)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "audit/%s", origin);
	fd = openat(state_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
	            O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT && mkdirat(state_fd, path, 0700) == 0)
		fd = openat(state_fd, path, O_RDONLY | O_DIRECTORY |
		            O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == EEXIST) /* made by another meanwhile */
		fd = openat(state_fd, path, O_RDONLY | O_DIRECTORY |
		            O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		cx_err_sys(err, CX_E_IO_ERROR, "open the log's folder");
	return fd;
}

int cx_segment_open(int state_fd, struct cx_segment *ret, struct cx_err *err)
{
	CX_AUTO_FD int dir = -1;
	CX_AUTO_FD int lock = -1;

	if (read_self(state_fd, ret->origin) < 0 &&
	    make_self(state_fd, ret->origin, err) < 0)
		return -1;
	dir = open_folder(state_fd, ret->origin, err);
	if (dir < 0)
		return -1;
	lock = openat(dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
	              0600);
	if (lock < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open the log's lock");
	cx_tail_boot_now(&ret->boot);
	ret->dir_fd = cx_fd_take(&dir);
	ret->lock_fd = cx_fd_take(&lock);
	return 0;
}

void cx_segment_done(struct cx_segment *log)
{
	cx_fd_close_at(&log->dir_fd);
	cx_fd_close_at(&log->lock_fd);
}

/* Never waits for ever: a writer that stands still mustn't hold up a run. */
static int take(int fd, struct cx_err *err)
{
	static const struct timespec nap = { 0, NAP_NS };
	int64_t end = 0;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return cx_err_sys(err, CX_E_IO_ERROR, "lock the log");
		if (end == 0)
			end = cx_clock_mono_us() + PATIENCE_US;
		if (cx_clock_mono_us() > end)
			return cx_err_set(err, CX_E_STORE_BUSY,
			                  "another process holds the log");
		nanosleep(&nap, NULL);
	}
	return 0;
}

static void fill_time(int64_t at_ms, char ret_at[CX_MARGIN_AT])
{
	char second[21];

	cx_clock_text(at_ms / 1000, second);
	snprintf(ret_at, CX_MARGIN_AT, "%.19s.%03uZ", second,
	         (unsigned)(at_ms % 1000) % 1000);
}

/* One write. A short one is taken back, so that no half stays behind. */
static int write_whole(int fd, const struct cx_buf *line, uint64_t end,
                       struct cx_err *err)
{
	ssize_t n;

	do
		n = write(fd, line->data, line->size);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)line->size)
		return 0;
	if (n >= 0)
		errno = ENOSPC;
	cx_err_sys(err, CX_E_IO_ERROR, "write the audit record");
	if (n > 0 && ftruncate(fd, (off_t)end) < 0)
		errno = err->sys; /* recovery sets it aside */
	return -1;
}

static int write_pair(const struct cx_salvage_files *files,
                      const struct cx_segment_record *record,
                      const struct cx_margin *margin, struct cx_tail *tail,
                      struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf event = { 0 };
	CX_AUTO_BUF struct cx_buf meta = { 0 };

	cx_buf_add(&event, record->line, record->size);
	cx_buf_byte(&event, '\n');
	cx_margin_write(margin, &meta);
	cx_buf_byte(&meta, '\n');
	if (write_whole(files->meta_fd, &meta, tail->meta_bytes, err) < 0)
		return -1;
	if (write_whole(files->event_fd, &event, tail->event_bytes, err) < 0) {
		if (ftruncate(files->meta_fd, (off_t)tail->meta_bytes) < 0)
			errno = err->sys; /* as above */
		return -1;
	}
	tail->event_bytes += event.size;
	tail->meta_bytes += meta.size;
	tail->next++;
	tail->gap = 0;
	return 0;
}

/* A new segment, when this one is full or the day is over. */
static int rotate(const struct cx_segment *log, enum cx_segment_sync sync,
                  size_t size, uint64_t day, struct cx_tail *tail,
                  struct cx_salvage_files *files, struct cx_err *err)
{
	bool full = tail->event_bytes + size + 1 > CX_SEGMENT_BYTES;
	bool over = tail->day != 0 && day > tail->day;

	if (tail->next == tail->first || (!full && !over))
		return 0;
	if (sync != CX_SEGMENT_SYNC_NONE && cx_flush_files(files, err) < 0)
		return -1;
	cx_salvage_close(files);
	if (cx_salvage_open(log->dir_fd, tail->next, files, err) < 0)
		return -1;
	tail->previous = tail->first;
	tail->first = tail->next;
	tail->event_bytes = 0;
	tail->meta_bytes = 0;
	return 0;
}

static int save(const struct cx_segment *log, const struct cx_tail *tail,
                struct cx_err *err)
{
	if (cx_tail_save(log->lock_fd, &log->boot, tail) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "note the log's end");
	return 0;
}

static int write_record(const struct cx_segment *log,
                        const struct cx_segment_record *record,
                        enum cx_segment_sync sync, struct cx_tail *tail,
                        struct cx_salvage_files *files, struct cx_err *err)
{
	struct cx_margin margin = { .suppressed = record->suppressed };
	uint64_t day;

	fill_time(record->at_ms, margin.at);
	day = cx_margin_day(margin.at);
	if (rotate(log, sync, record->size, day, tail, files, err) < 0)
		return -1;
	margin.gap = tail->gap;
	margin.index = tail->next;
	snprintf(margin.key, sizeof margin.key, "%s", record->key);
	if (write_pair(files, record, &margin, tail, err) < 0)
		return -1;
	tail->day = day;
	/* a new segment's name has to be on disk, too */
	if (sync != CX_SEGMENT_SYNC_NONE && margin.index == tail->first &&
	    fsync(log->dir_fd) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "flush the log's folder");
	if (sync == CX_SEGMENT_SYNC_EACH && cx_flush_files(files, err) < 0)
		return -1;
	return 0;
}

static int append_locked(const struct cx_segment *log,
                         const struct cx_segment_record *record,
                         enum cx_segment_sync sync,
                         struct cx_salvage_files *files,
                         struct cx_segment_result *ret, struct cx_err *err)
{
	struct cx_tail tail;
	struct cx_err ignored;

	if (cx_salvage_settle(log->dir_fd, log->lock_fd, &log->boot, &tail,
	                      files, &ret->torn_bytes, err) < 0)
		return -1;
	if (cx_find_key(log->dir_fd, files, &tail, record->key,
	                record->search_all, &ret->index)) {
		ret->duplicate = true;
		return save(log, &tail, err);
	}
	if (write_record(log, record, sync, &tail, files, err) < 0) {
		tail.gap++;
		save(log, &tail, &ignored);
		return -1;
	}
	ret->index = tail.next - 1;
	return save(log, &tail, err);
}

int cx_segment_append(const struct cx_segment *log,
                      const struct cx_segment_record *record,
                      enum cx_segment_sync sync,
                      struct cx_segment_result *ret, struct cx_err *err)
{
	CX_AUTO_SALVAGE_FILES struct cx_salvage_files files = { -1, -1 };
	/* over the caller's RLIMIT_FSIZE, write says EFBIG and nobody dies */
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before;
	int result;

	*ret = (struct cx_segment_result){ 0 };
	if (take(log->lock_fd, err) < 0)
		return -1;
	sigaction(SIGXFSZ, &ignore, &before);
	result = append_locked(log, record, sync, &files, ret, err);
	sigaction(SIGXFSZ, &before, NULL);
	flock(log->lock_fd, LOCK_UN);
	if (result == 0 && sync != CX_SEGMENT_SYNC_NONE &&
	    (sync == CX_SEGMENT_SYNC_GROUP || ret->duplicate))
		result = cx_flush_wait(log->dir_fd, log->lock_fd, &log->boot,
		                       &files, ret->index, err);
	return result;
}
