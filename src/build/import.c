/* import.c - see import.h. */
#include "build/import.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/interrupt.h"
#include "base/path.h"
#include "base/str.h"
#include "build/layered.h"
#include "build/rootfs.h"
#include "store/draft.h"
#include "store/tar.h"
#include "store/tarpeek.h"

/* What the names in an archive say of it. */
struct guess {
	bool layout;   /* "oci-layout" stands in it */
	bool docker;   /* "manifest.json" does */
	bool other;    /* something that no layout has */
};

static bool look(const char *name, void *context)
{
	static const char *const known[] = { "index.json", "repositories",
	                                     "blobs" };
	struct guess *guess = context;
	char plain[CX_TARNAME_MAX];
	bool fits = false;

	if (!cx_tarname_plain(name, plain))
		return true; /* unpacking will refuse it */
	if (cx_str_same(plain, "oci-layout"))
		guess->layout = fits = true;
	if (cx_str_same(plain, "manifest.json"))
		guess->docker = fits = true;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		fits |= cx_str_same(plain, known[i]);
	fits |= cx_str_starts(plain, "blobs/") || plain[0] == '\0';
	guess->other |= !fits;
	return fits || guess->docker;
}

static int peek(int fd, struct guess *ret, struct cx_err *err)
{
	CX_AUTO_INFLATE struct cx_inflate inflate = { .fd = fd };

	if (cx_inflate_start(&inflate, err) < 0 ||
	    cx_tarpeek_each(&inflate, look, ret, err) < 0)
		return -1;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "rewind the archive");
	return 0;
}

/* Of an archive that holds a layout only what a layout has is unpacked. */
static bool place(const char *path, mode_t mode, void *context,
                  char ret[CX_TARNAME_MAX])
{
	(void)context;
	if (S_ISLNK(mode) ||
	    !(cx_str_same(path, "index.json") ||
	      cx_str_same(path, "oci-layout") || cx_str_same(path, "blobs") ||
	      cx_str_starts(path, "blobs/")))
		return false;
	memcpy(ret, path, strlen(path) + 1);
	return true;
}

static int from_layout_tar(const struct cx_cas *cas, int fd,
                           const struct cx_import *import,
                           char ret_digest[CX_DIGEST_TEXT], bool *ret_built,
                           struct cx_err *err)
{
	const struct cx_tar_order order = { .place = place };
	CX_AUTO_INFLATE struct cx_inflate inflate = { .fd = fd };
	CX_AUTO_DRAFT struct cx_draft draft = CX_DRAFT_NONE;

	cx_progress_say(import->progress, "unpacking the image layout");
	if (cx_draft_start(cas, 0, &draft, err) < 0 ||
	    cx_inflate_start(&inflate, err) < 0 ||
	    cx_tar_unpack(&inflate, &order, &draft, err) < 0)
		return -1;
	return cx_layered_take(cas, draft.root_fd, import, ret_digest,
	                       ret_built, err);
}

/* What can't be read twice is copied to a file that has no name. */
static int make_seekable(const struct cx_cas *cas, int *fd, struct cx_err *err)
{
	CX_AUTO_FD int copy = -1;
	char data[32768];
	ssize_t n;

	if (lseek(*fd, 0, SEEK_CUR) >= 0)
		return 0;
	copy = openat(cas->tmp_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (copy < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a file");
	do {
		if (cx_interrupt_wait(*fd, err) < 0)
			return -1;
		n = read(*fd, data, sizeof data);
		if (n > 0 && cx_fd_write(copy, data, (size_t)n) < 0)
			return cx_err_sys(err, CX_E_IO_ERROR,
			                  "copy the archive");
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0 || lseek(copy, 0, SEEK_SET) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "read the archive");
	cx_fd_close_at(fd);
	*fd = cx_fd_take(&copy);
	return 0;
}

static int from_file(const struct cx_cas *cas, int *fd,
                     const struct cx_import *import,
                     char ret_digest[CX_DIGEST_TEXT], bool *ret_built,
                     struct cx_err *err)
{
	struct guess guess = { false, false, false };

	if (make_seekable(cas, fd, err) < 0 || peek(*fd, &guess, err) < 0)
		return -1;
	if (guess.layout && !(guess.other && !guess.docker))
		return from_layout_tar(cas, *fd, import, ret_digest, ret_built,
		                       err);
	if (guess.docker)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "this is a docker-archive without an OCI "
		                  "layout; convert it with: skopeo copy "
		                  "docker-archive:FILE oci-archive:FILE");
	*ret_built = true;
	return cx_rootfs_take(cas, *fd, import, ret_digest, err);
}

int cx_import_make(const struct cx_cas *cas, const struct cx_import *import,
                   char ret_digest[CX_DIGEST_TEXT], bool *ret_built,
                   struct cx_err *err)
{
	CX_AUTO_FD int fd = open(import->path,
	                         O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat is;

	if (fd < 0 && errno == ENOENT)
		return cx_err_missing(err, import->path);
	if (fd < 0 || fstat(fd, &is) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %.300s",
		                  import->path);
	cx_interrupt_hold();
	if (!S_ISDIR(is.st_mode))
		return from_file(cas, &fd, import, ret_digest, ret_built, err);
	if (faccessat(fd, "oci-layout", F_OK, 0) < 0)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "%.300s is a folder without an OCI image "
		                  "layout (no file oci-layout)", import->path);
	return cx_layered_take(cas, fd, import, ret_digest, ret_built, err);
}
