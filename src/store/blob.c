/* blob.c - see blob.h. */
#include "store/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/hex.h"
#include "base/rand.h"

static int new_name(char ret[CX_BLOB_NAME], struct cx_err *err)
{
	uint8_t random[12];

	if (cx_rand_fill(random, sizeof random, err) < 0)
		return -1;
	cx_hex_write(random, sizeof random, ret);
	return 0;
}

int cx_blob_start(const struct cx_cas *cas, struct cx_blob *ret,
                  struct cx_err *err)
{
	CX_AUTO_BLOB struct cx_blob blob = CX_BLOB_NONE;
	CX_AUTO_FD int lock = -1;

	/* made and leased under the lock, under which the dead's go */
	if (new_name(blob.name, err) < 0 || cx_cas_lock(cas, &lock, err) < 0)
		return -1;
	blob.tmp_fd = cas->tmp_fd;
	blob.fd = openat(cas->tmp_fd, blob.name,
	                 O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
	                 0600);
	if (blob.fd < 0 || flock(blob.fd, LOCK_EX) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a blob");
	cx_digest_start(&blob.hash);
	*ret = blob;
	blob = CX_BLOB_NONE;
	return 0;
}

int cx_blob_add(struct cx_blob *blob, const void *data, size_t size,
                struct cx_err *err)
{
	cx_digest_add(&blob->hash, data, size);
	blob->size += size;
	if (cx_fd_write(blob->fd, data, size) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "write a blob");
	return 0;
}

int cx_blob_end(struct cx_blob *blob, struct cx_err *err)
{
	cx_digest_end(&blob->hash, &blob->digest);
	if (fchmod(blob->fd, 0644) < 0 || fdatasync(blob->fd) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "sync a blob");
	return 0;
}

int cx_blob_whole(const struct cx_cas *cas, const void *data, size_t size,
                  struct cx_blob *ret, struct cx_err *err)
{
	CX_AUTO_BLOB struct cx_blob blob = CX_BLOB_NONE;

	if (cx_blob_start(cas, &blob, err) < 0 ||
	    cx_blob_add(&blob, data, size, err) < 0 ||
	    cx_blob_end(&blob, err) < 0)
		return -1;
	*ret = blob;
	blob = CX_BLOB_NONE;
	return 0;
}

int cx_blob_publish(struct cx_blob *blob, const struct cx_cas *cas,
                    struct cx_err *err)
{
	char hex[65];

	cx_hex_write(blob->digest.byte, sizeof blob->digest.byte, hex);
	if (renameat(cas->tmp_fd, blob->name, cas->blobs_fd, hex) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "publish a blob");
	cx_fd_close_at(&blob->fd);
	return 0;
}

void cx_blob_done(struct cx_blob *blob)
{
	if (blob->fd < 0)
		return;
	unlinkat(blob->tmp_fd, blob->name, 0);
	cx_fd_close_at(&blob->fd);
}
