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
	int from_fd, to_fd;   /* to_fd -1: nowhere */
	char *buffer;
	bool summed;
	struct cx_digest_stream digest;
};

static void sum(struct copy *copy, size_t size)
{
	if (copy->summed)
		cx_digest_add(&copy->digest, copy->buffer, size);
}

static void digest_zeros(struct copy *copy, uint64_t count)
{
	memset(copy->buffer, 0, CHUNK_BYTES);
	while (copy->summed && count > 0) {
		size_t step = count < CHUNK_BYTES ? (size_t)count : CHUNK_BYTES;

		sum(copy, step);
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
		sum(copy, (size_t)n);
		at += (size_t)n;
		if (copy->to_fd < 0)
			continue;
		if (lseek(copy->to_fd, (off_t)at - n, SEEK_SET) < 0 ||
		    cx_fd_write(copy->to_fd, copy->buffer, (size_t)n) < 0)
			return -1;
	}
	return 0;
}

static int copy_all(int from_fd, uint64_t size, int to_fd,
                    struct cx_digest *ret_digest)
{
	CX_AUTO_FREE char *buffer = cx_mem_grow(NULL, CHUNK_BYTES, 1);
	struct copy copy = { .from_fd = from_fd, .to_fd = to_fd,
	                     .buffer = buffer,
	                     .summed = ret_digest != NULL };
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
	if (got < 0 || (to_fd >= 0 && ftruncate(to_fd, (off_t)size) < 0))
		return -1;
	digest_zeros(&copy, size - at);
	if (ret_digest)
		cx_digest_end(&copy.digest, ret_digest);
	return 0;
}

int cx_regular_copy(int from_fd, uint64_t size, int to_fd,
                    struct cx_digest *ret_digest)
{
	return copy_all(from_fd, size, to_fd, ret_digest);
}

int cx_regular_digest(int fd, uint64_t size, struct cx_digest *ret)
{
	return copy_all(fd, size, -1, ret);
}

static int read_at(int fd, char *data, size_t size, uint64_t at)
{
	size_t have = 0;

	while (have < size) {
		ssize_t n = pread(fd, data + have, size - have,
		                  (off_t)(at + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0) {
			memset(data + have, 0, size - have);
			return 0;
		}
		have += (size_t)n;
	}
	return 0;
}

static int compare(int one_fd, int other_fd,
                   const struct cx_regular_piece *piece, char *buffer)
{
	char *second = buffer + CHUNK_BYTES;

	for (uint64_t at = piece->from; at < piece->to;) {
		size_t step = piece->to - at < CHUNK_BYTES
		              ? (size_t)(piece->to - at) : CHUNK_BYTES;

		if (read_at(one_fd, buffer, step, at) < 0 ||
		    read_at(other_fd, second, step, at) < 0)
			return -1;
		if (memcmp(buffer, second, step) != 0)
			return 0;
		at += step;
	}
	return 1;
}

/* Every piece of one, against whatever the other has there. */
static int same_pieces(int one_fd, int other_fd, uint64_t size, char *buffer,
                       uint64_t *ret_holes)
{
	struct cx_regular_piece piece = { 0, 0 };
	int got, same = 1;

	*ret_holes = size;
	while (same > 0 &&
	       (got = cx_regular_next(one_fd, piece.to, size, &piece)) != 0) {
		same = got < 0 ? -1 : compare(one_fd, other_fd, &piece, buffer);
		*ret_holes -= piece.to - piece.from;
	}
	return same;
}

int cx_regular_same(int one_fd, int other_fd, uint64_t size)
{
	CX_AUTO_FREE char *buffer = cx_mem_grow(NULL, 2, CHUNK_BYTES);
	uint64_t holes;
	int same = same_pieces(one_fd, other_fd, size, buffer, &holes);

	/* where the first has a hole, the second may have bytes */
	return same > 0 && holes > 0
	       ? same_pieces(other_fd, one_fd, size, buffer, &holes) : same;
}
