/* regular.c - see regular.h. */
#include "store/regular.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

enum { CHUNK_BYTES = 256 * 1024 };

/* The file itself, whatever its name means by now. */
static int open_handle(int handle, mode_t mode)
{
	char link[32];
	int fd;

	snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
	fd = open(link, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 || errno != EACCES || chmod(link, mode | 0400) < 0)
		return fd;
	fd = open(link, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (chmod(link, mode) < 0)
		cx_fd_close_at(&fd);
	return fd;
}

int cx_regular_open(int dir_fd, const char *path, struct stat *ret_stat)
{
	CX_AUTO_FD int handle = cx_path_open(dir_fd, path, O_PATH | O_NOFOLLOW,
	                                     0);

	if (handle < 0 || fstat(handle, ret_stat) < 0)
		return -1;
	if (S_ISLNK(ret_stat->st_mode)) {
		errno = ELOOP;
		return -1;
	}
	if (!S_ISREG(ret_stat->st_mode)) {
		errno = EMEDIUMTYPE;
		return -1;
	}
	return open_handle(handle, ret_stat->st_mode & 07777);
}

int cx_regular_next(int fd, uint64_t at, uint64_t size,
                    struct cx_regular_piece *ret)
{
	off_t from, to;

	if (at >= size)
		return 0;
	from = lseek(fd, (off_t)at, SEEK_DATA);
	if (from < 0 && errno == ENXIO)
		return 0;
	to = from < 0 ? -1 : lseek(fd, from, SEEK_HOLE);
	if (from < 0 || to < 0) {
		if (errno != EINVAL)
			return -1;
		from = (off_t)at; /* no such calls here: all is data */
		to = (off_t)size;
	}
	if ((uint64_t)from >= size)
		return 0;
	ret->from = (uint64_t)from;
	ret->to = (uint64_t)to < size ? (uint64_t)to : size;
	return 1;
}

struct copy {
	int from_fd, to_fd;
	char *buffer;
	struct cx_digest_stream digest;
};

static void digest_zeros(struct copy *copy, uint64_t count)
{
	memset(copy->buffer, 0, CHUNK_BYTES);
	while (count > 0) {
		size_t step = count < CHUNK_BYTES ? (size_t)count : CHUNK_BYTES;

		cx_digest_add(&copy->digest, copy->buffer, step);
		count -= step;
	}
}

static int copy_piece(struct copy *copy, const struct cx_regular_piece *piece)
{
	uint64_t at = piece->from;

	while (at < piece->to) {
		size_t step = piece->to - at < CHUNK_BYTES
		              ? (size_t)(piece->to - at) : CHUNK_BYTES;
		ssize_t n = pread(copy->from_fd, copy->buffer, step, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0) { /* it became shorter meanwhile */
			memset(copy->buffer, 0, step);
			n = (ssize_t)step;
		}
		cx_digest_add(&copy->digest, copy->buffer, (size_t)n);
		if (lseek(copy->to_fd, (off_t)at, SEEK_SET) < 0 ||
		    cx_fd_write(copy->to_fd, copy->buffer, (size_t)n) < 0)
			return -1;
		at += (size_t)n;
	}
	return 0;
}

int cx_regular_copy(int from_fd, uint64_t size, int to_fd,
                    struct cx_digest *ret_digest)
{
	CX_AUTO_FREE char *buffer = cx_mem_grow(NULL, CHUNK_BYTES, 1);
	struct copy copy = { .from_fd = from_fd, .to_fd = to_fd,
	                     .buffer = buffer };
	struct cx_regular_piece piece = { 0, 0 };
	uint64_t at = 0;
	int got;

	cx_digest_start(&copy.digest);
	while ((got = cx_regular_next(from_fd, at, size, &piece)) > 0) {
		digest_zeros(&copy, piece.from - at);
		if (copy_piece(&copy, &piece) < 0)
			return -1;
		at = piece.to;
	}
	if (got < 0 || ftruncate(to_fd, (off_t)size) < 0)
		return -1;
	digest_zeros(&copy, size - at);
	cx_digest_end(&copy.digest, ret_digest);
	return 0;
}
