/* input.c - see input.h. */
#include "run/input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

enum { CHUNK_BYTES = 256 * 1024 };

static int make(struct cx_err *err)
{
	int fd = memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		cx_err_sys(err, CX_E_IO_ERROR, "make standard input");
	return fd;
}

static int seal(int *fd, int *ret_fd, struct cx_err *err)
{
	if (fcntl(*fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK |
	          F_SEAL_SEAL) < 0 || lseek(*fd, 0, SEEK_SET) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "seal standard input");
	*ret_fd = cx_fd_take(fd);
	return 0;
}

int cx_input_text(const struct cx_buf *text, int *ret_fd, struct cx_err *err)
{
	CX_AUTO_FD int fd = make(err);

	if (fd < 0)
		return -1;
	if (cx_fd_write(fd, text->data, text->size) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make standard input");
	return seal(&fd, ret_fd, err);
}

static int copy(int from, int to, const char *path, struct cx_err *err)
{
	CX_AUTO_FREE char *buffer = cx_mem_grow(NULL, CHUNK_BYTES, 1);
	uint64_t total = 0;

	for (;;) {
		ssize_t n = read(from, buffer, CHUNK_BYTES);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cx_err_sys(err, CX_E_IO_ERROR, "read %.400s",
			                  path);
		if (n == 0)
			return 0;
		total += (size_t)n;
		if (total > CX_INPUT_MAX_BYTES)
			return cx_err_set(err, CX_E_INPUT_INVALID, "%.400s is "
			                  "over 1 GiB; copy it in with --in",
			                  path);
		if (cx_fd_write(to, buffer, (size_t)n) < 0)
			return cx_err_sys(err, CX_E_IO_ERROR,
			                  "make standard input");
	}
}

int cx_input_file(const char *path, int *ret_fd, struct cx_err *err)
{
	CX_AUTO_FD int from = cx_str_same(path, "-")
		? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
		: open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	CX_AUTO_FD int fd = -1;

	if (from < 0 && errno == ENOENT)
		return cx_err_missing(err, path);
	if (from < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %.400s", path);
	fd = make(err);
	if (fd < 0 || copy(from, fd, path, err) < 0)
		return -1;
	return seal(&fd, ret_fd, err);
}
