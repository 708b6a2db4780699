/*
 * layer.c - an archive from anywhere. What is refused leaves a plain refusal.
 * What is taken has nothing on disk that anybody but the sandbox could use,
 * and its canonical form is one: packed, unpacked and packed again it has the
 * same bytes.
 */
#include <fcntl.h>
#include <fts.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "store/pack.h"
#include "store/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES_MAX = 1 << 20 };

static struct cx_cas cas = { -1, -1, -1, -1 };
static char folder[64];

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void remove_folder(void)
{
	cx_path_remove(AT_FDCWD, folder);
}

static void make_store(void)
{
	snprintf(folder, sizeof folder, "%s/cx-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	demand(mkdtemp(folder) != NULL);
	atexit(remove_folder);
	cas.oci_fd = cas.roots_fd = cas.tmp_fd = cas.blobs_fd =
		open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	demand(cas.oci_fd >= 0);
}

/* 0 unpacked, -1 refused. */
static int unpack(int fd, struct cx_draft *draft)
{
	static const struct cx_tar_order order = { .bytes_max = BYTES_MAX };
	CX_AUTO_INFLATE struct cx_inflate inflate = { .fd = fd,
	                                              .bytes_max = BYTES_MAX };
	struct cx_digest digest;
	struct cx_err err;
	uint64_t bytes;

	demand(lseek(fd, 0, SEEK_SET) == 0);
	if (cx_draft_start(&cas, INT64_MAX, draft, &err) < 0)
		abort();
	if (cx_inflate_start(&inflate, &err) < 0 ||
	    cx_tar_unpack(&inflate, &order, draft, &err) < 0 ||
	    cx_inflate_end(&inflate, &digest, &bytes, &err) < 0) {
		demand(err.code == CX_E_LAYER_CORRUPT);
		return -1;
	}
	if (cx_draft_settle(draft, &err) < 0)
		abort();
	return 0;
}

static void check_disk(const struct cx_draft *draft)
{
	char path[128];
	char *top[] = { path, NULL };
	FTS *walk;
	FTSENT *at;

	snprintf(path, sizeof path, "%s/%s", folder, draft->name);
	walk = fts_open(top, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	demand(walk != NULL);
	while ((at = fts_read(walk))) {
		if (at->fts_info == FTS_DP)
			continue;
		demand(at->fts_info == FTS_D || at->fts_info == FTS_F ||
		       at->fts_info == FTS_SL || at->fts_info == FTS_SLNONE);
		demand(S_ISLNK(at->fts_statp->st_mode) ||
		       (at->fts_statp->st_mode & 07022) == 0);
	}
	fts_close(walk);
}

static void pack(const struct cx_draft *draft, struct cx_blob *blob,
                 struct cx_digest *ret_diff_id)
{
	struct cx_packed packed;
	struct cx_err err;

	if (cx_blob_start(&cas, blob, &err) < 0 ||
	    cx_pack_write(draft->root_fd, &draft->list, blob, &packed, &err) <
	    0)
		abort();
	*ret_diff_id = packed.diff_id;
}

static void check(int fd)
{
	CX_AUTO_DRAFT struct cx_draft first = CX_DRAFT_NONE;
	CX_AUTO_DRAFT struct cx_draft again = CX_DRAFT_NONE;
	CX_AUTO_BLOB struct cx_blob one = CX_BLOB_NONE;
	CX_AUTO_BLOB struct cx_blob other = CX_BLOB_NONE;
	struct cx_digest one_id, other_id;

	if (unpack(fd, &first) < 0)
		return;
	check_disk(&first);
	pack(&first, &one, &one_id);
	demand(unpack(one.fd, &again) == 0);
	pack(&again, &other, &other_id);
	demand(cx_digest_same(&one_id, &other_id));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CX_AUTO_FD int fd = memfd_create("layer", MFD_CLOEXEC);

	if (cas.oci_fd < 0)
		make_store();
	demand(fd >= 0 && cx_fd_write(fd, data, size) == 0);
	check(fd);
	return 0;
}
