/* ledger.c - see ledger.h. */
#include "gateway/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/fd.h"

enum {
	TRIES = 16,             /* to meet a file that nobody puts aside */
	PATIENCE_US = 1000000,
	LOOK_NS = 2000000,
	NAME_BYTES = NAME_MAX + 1,
};

/* No link, no device, no second name of something else's. */
static int open_file(struct cx_ledger *ledger)
{
	CX_AUTO_FD int fd = openat(ledger->site.folder_fd, ledger->site.name,
	                           O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW |
	                           O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	struct stat found;

	if (fd < 0 || fstat(fd, &found) < 0)
		return -1;
	if (!S_ISREG(found.st_mode) || found.st_nlink > 1 ||
	    !cx_fd_is_ours(&found)) {
		errno = EPERM;
		return -1;
	}
	ledger->fd = cx_fd_take(&fd);
	return 0;
}

int cx_ledger_open(const struct cx_logsite *site, struct cx_ledger *ret)
{
	*ret = (struct cx_ledger){
		.site = *site, .fd = -1, .patience_us = PATIENCE_US,
	};
	return open_file(ret);
}

int cx_ledger_turn(struct cx_ledger *ledger, uint64_t max_bytes, uint64_t keep)
{
	ledger->site.max_bytes = max_bytes;
	ledger->site.keep = keep;
	cx_fd_close_at(&ledger->fd);
	return open_file(ledger);
}

void cx_ledger_done(struct cx_ledger *ledger)
{
	cx_fd_close_at(&ledger->fd);
}

/* Who holds it is waited for once; while he keeps it, no more. */
static int lock(struct cx_ledger *ledger)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	const int64_t end_us = cx_clock_mono_us() + ledger->patience_us;

	while (flock(ledger->fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return -1;
		if (cx_clock_mono_us() >= end_us) {
			ledger->patience_us = 0;
			errno = ETIMEDOUT;
			return -1;
		}
		nanosleep(&pause, NULL);
	}
	ledger->patience_us = PATIENCE_US;
	return 0;
}

/* The name means this file. */
static bool is_current(const struct cx_ledger *ledger,
                       const struct stat *found)
{
	struct stat named;

	return fstatat(ledger->site.folder_fd, ledger->site.name, &named,
	               AT_SYMLINK_NOFOLLOW) == 0 &&
	       named.st_dev == found->st_dev && named.st_ino == found->st_ino;
}

/* Opens and locks what the name means. Unlocked by closing, or by unlock. */
static int meet(struct cx_ledger *ledger, struct stat *ret)
{
	for (int i = 0; i < TRIES; i++) {
		if (ledger->fd < 0 && open_file(ledger) < 0)
			return -1;
		if (lock(ledger) < 0 || fstat(ledger->fd, ret) < 0)
			return -1;
		if (is_current(ledger, ret))
			return 0;
		cx_fd_close_at(&ledger->fd);
	}
	errno = EAGAIN;
	return -1;
}

static void name_old(const struct cx_ledger *ledger, uint64_t number,
                     char ret[NAME_BYTES])
{
	snprintf(ret, NAME_BYTES, "%.*s.%u", NAME_MAX - 4, ledger->site.name,
	         (unsigned)number);
}

/* The full file goes aside, under its lock; who comes next makes a new one. */
static int put_aside(struct cx_ledger *ledger)
{
	const struct cx_logsite *site = &ledger->site;
	char from[NAME_BYTES], to[NAME_BYTES];
	int done;

	for (uint64_t i = site->keep; i > 1; i--) {
		name_old(ledger, i - 1, from);
		name_old(ledger, i, to);
		if (renameat(site->folder_fd, from, site->folder_fd, to) < 0 &&
		    errno != ENOENT)
			return -1;
	}
	name_old(ledger, 1, to);
	done = site->keep == 0
	       ? unlinkat(site->folder_fd, site->name, 0)
	       : renameat(site->folder_fd, site->name, site->folder_fd, to);
	if (done == 0)
		cx_fd_close_at(&ledger->fd);
	return done;
}

/* As many whole lines as fit into room; one at least, if there is one. */
static size_t fitting(const char *lines, size_t size, uint64_t room)
{
	const char *end;

	if (size <= room)
		return size;
	end = memrchr(lines, '\n', (size_t)room);
	return end ? (size_t)(end - lines) + 1 : 0;
}

/* A writer's crash left a line without its end. */
static bool is_torn(int fd, off_t size)
{
	char last;

	return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

/* Whole, or as if it had never begun. */
static int write_whole(int fd, off_t at, const char *data, size_t size)
{
	ssize_t n = write(fd, data, size);
	int sys = n < 0 ? errno : ENOSPC;

	if (n == (ssize_t)size)
		return 0;
	if (n > 0 && ftruncate(fd, at) < 0)
		return -1;
	errno = sys;
	return -1;
}

/* To the file at hand, which is locked: the bytes added, 0: it is full; -1. */
static ssize_t add_some(struct cx_ledger *ledger, const struct stat *found,
                        const char *lines, size_t size)
{
	const uint64_t most = ledger->site.max_bytes;
	const bool torn = is_torn(ledger->fd, found->st_size);
	const uint64_t at = (uint64_t)found->st_size + torn;
	size_t part = at < most ? fitting(lines, size, most - at) : 0;

	if (part == 0 && found->st_size == 0)
		part = size; /* no file is ever large enough */
	if (part == 0)
		return 0;
	if (torn && write_whole(ledger->fd, found->st_size, "\n", 1) < 0)
		return -1;
	if (write_whole(ledger->fd, (off_t)at, lines, part) < 0)
		return -1;
	return (ssize_t)part;
}

size_t cx_ledger_add(struct cx_ledger *ledger, const char *lines, size_t size)
{
	size_t done = 0;
	struct stat found;
	ssize_t n;
	int sys;

	while (done < size) {
		if (meet(ledger, &found) < 0)
			return done;
		n = add_some(ledger, &found, lines + done, size - done);
		if (n == 0 && put_aside(ledger) == 0)
			continue;
		sys = errno;
		if (ledger->fd >= 0)
			flock(ledger->fd, LOCK_UN);
		errno = sys;
		if (n <= 0)
			return done;
		done += (size_t)n;
	}
	return done;
}
