/* flush.c - see flush.h. */
#include "store/flush.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include "base/clock.h"
#include "base/fd.h"

enum { PATIENCE_US = 2000000, NAP_NS = 40000 };

/* check is ~next, so that a half-written one isn't believed. */
struct mark { uint64_t next, check; };

static bool reached(int fd, uint64_t index)
{
	struct mark mark;

	return pread(fd, &mark, sizeof mark, 0) == (ssize_t)sizeof mark &&
	       mark.check == ~mark.next && mark.next > index;
}

int cx_flush_files(const struct cx_salvage_files *files, struct cx_err *err)
{
	if (fdatasync(files->meta_fd) < 0 || fdatasync(files->event_fd) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "flush the log to disk");
	return 0;
}

/* Under the flush lock: everything written up to now, for everybody. */
static int lead(int fd, int lock_fd, const struct cx_tail_boot *boot,
                const struct cx_salvage_files *files, uint64_t index,
                struct cx_err *err)
{
	struct cx_tail tail;
	struct mark mark = { .next = index + 1 };

	/* In the same segment, what stands before the cached end was written
	 * before now. A segment that was left is flushed by who left it. */
	if (cx_tail_load(lock_fd, boot, &tail) == CX_TAIL_SOUND &&
	    tail.first <= index && tail.next > mark.next)
		mark.next = tail.next;
	if (cx_flush_files(files, err) < 0)
		return -1;
	mark.check = ~mark.next;
	if (pwrite(fd, &mark, sizeof mark, 0) < 0)
		errno = 0; /* the next one flushes once more */
	return 0;
}

int cx_flush_wait(int dir_fd, int lock_fd, const struct cx_tail_boot *boot,
                  const struct cx_salvage_files *files, uint64_t index,
                  struct cx_err *err)
{
	static const struct timespec nap = { 0, NAP_NS };
	int64_t end = cx_clock_mono_us() + PATIENCE_US;
	CX_AUTO_FD int fd = openat(dir_fd, "flush", O_RDWR | O_CREAT |
	                           O_CLOEXEC | O_NOFOLLOW, 0600);

	while (fd >= 0 && cx_clock_mono_us() < end) {
		if (reached(fd, index))
			return 0;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			if (reached(fd, index))
				return 0;
			return lead(fd, lock_fd, boot, files, index, err);
		}
		nanosleep(&nap, NULL);
	}
	/* a leader that stands still holds up nobody else */
	return cx_flush_files(files, err);
}
