/* secret.c - see secret.h. */
#include "plane/secret.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/promise.h"

static int open_key(const struct cx_ring *ring,
                    const struct cx_ring_entry *entry, int *ret_fd,
                    struct stat *ret_stat, struct cx_err *err)
{
	int fd = openat(ring->keys_fd, entry->file, O_RDONLY | O_NOFOLLOW |
	                O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return cx_err_set(err, CX_E_KEY_MISSING,
		                  "keys/%s, the key %s, isn't there; put it "
		                  "back or retire its kid", entry->file,
		                  entry->kid);
	if (fd < 0)
		return cx_err_sys(err, CX_E_KEY_PERMISSIONS, "open keys/%s",
		                  entry->file);
	if (fstat(fd, ret_stat) < 0) {
		close(fd);
		return cx_err_sys(err, CX_E_IO_ERROR, "stat keys/%s",
		                  entry->file);
	}
	*ret_fd = fd;
	return 0;
}

static bool is_zero(const uint8_t *byte, size_t size)
{
	uint8_t any = 0;

	for (size_t i = 0; i < size; i++)
		any |= byte[i];
	return any == 0;
}

static int read_key(int fd, uint8_t ret[CX_RING_KEY_BYTES + 1],
                    const char *file, struct cx_err *err)
{
	ssize_t n = cx_fd_read(fd, ret, CX_RING_KEY_BYTES + 1);

	if (n < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read keys/%s", file);
	if (!CX_PROMISE(key_sound, n == CX_RING_KEY_BYTES &&
	                           !is_zero(ret, CX_RING_KEY_BYTES)))
		return cx_err_set(err, CX_E_KEY_INVALID,
		                  "keys/%s isn't %d random bytes", file,
		                  CX_RING_KEY_BYTES);
	return 0;
}

int cx_secret_read(const struct cx_ring *ring,
                   const struct cx_ring_entry *entry,
                   uint8_t ret_key[CX_RING_KEY_BYTES], struct cx_err *err)
{
	CX_AUTO_FD int fd = -1;
	uint8_t byte[CX_RING_KEY_BYTES + 1];
	struct stat found;
	int result;

	if (open_key(ring, entry, &fd, &found, err) < 0)
		return -1;
	if (!S_ISREG(found.st_mode))
		return cx_err_set(err, CX_E_KEY_INVALID,
		                  "keys/%s is no regular file", entry->file);
	if (!CX_PROMISE(key_private, found.st_uid == geteuid() &&
	                             !(found.st_mode & 077)))
		return cx_err_set(err, CX_E_KEY_PERMISSIONS,
		                  "keys/%s isn't ours alone; chown it to us "
		                  "and chmod 600 it, and if others could read "
		                  "it, retire its kid %s", entry->file,
		                  entry->kid);
	if (strcmp(entry->alg, cx_ring_alg(entry->purpose)) != 0)
		return cx_err_set(err, CX_E_KEY_INVALID,
		                  "the key %s is for an algorithm that this "
		                  "program doesn't have", entry->kid);
	result = read_key(fd, byte, entry->file, err);
	if (result == 0)
		memcpy(ret_key, byte, CX_RING_KEY_BYTES);
	cx_mem_wipe(byte, sizeof byte);
	return result;
}
