/* stamp.c - see stamp.h. */
#include "store/stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/hex.h"
#include "base/path.h"
#include "base/promise.h"

#define HEAD "cx-image 1\n"
#define AGAIN "make it again with: cx-build l0 --refresh"

void cx_stamp_root(const struct cx_digest *diff_id, char ret[CX_STAMP_NAME])
{
	cx_hex_write(diff_id->byte, sizeof diff_id->byte, ret);
}

void cx_stamp_name(const struct cx_digest *manifest, char ret[CX_STAMP_NAME])
{
	cx_stamp_root(manifest, ret);
	memcpy(ret + 64, ".image", sizeof ".image");
}

int cx_stamp_head(const char **text)
{
	if (strncmp(*text, HEAD, sizeof HEAD - 1) != 0)
		return -1;
	*text += sizeof HEAD - 1;
	return 0;
}

int cx_stamp_read(const char **text, struct cx_stamp_line *ret)
{
	char digest[CX_DIGEST_TEXT];
	int length = 0;

	if (sscanf(*text,
	           "layer %71s %" SCNu64 " %" SCNd64 ".%" SCNd64 " %" SCNd64
	           ".%" SCNd64 "%n", digest, &ret->inode, &ret->mtime_s,
	           &ret->mtime_ns, &ret->ctime_s, &ret->ctime_ns, &length) != 6)
		return -1;
	if ((*text)[length] != '\n' || !cx_digest_parse(digest, &ret->diff_id))
		return -1;
	*text += length + 1;
	return 0;
}

static bool same(const struct stat *now, const struct cx_stamp_line *line)
{
	return S_ISDIR(now->st_mode) && now->st_ino == line->inode &&
	       now->st_mtim.tv_sec == line->mtime_s &&
	       now->st_mtim.tv_nsec == line->mtime_ns &&
	       now->st_ctim.tv_sec == line->ctime_s &&
	       now->st_ctim.tv_nsec == line->ctime_ns;
}

int cx_stamp_open(int roots_fd, const struct cx_stamp_line *line,
                 struct cx_err *err)
{
	char name[CX_STAMP_NAME];
	CX_AUTO_FD int fd = -1;
	struct stat now;

	cx_stamp_root(&line->diff_id, name);
	fd = cx_path_open(roots_fd, name, O_PATH | O_DIRECTORY, 0);
	if (fd < 0 || fstat(fd, &now) < 0)
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "layer sha256:%s can't be opened; " AGAIN,
		                  name);
	if (!CX_PROMISE(layer_as_stamped, same(&now, line)))
		return cx_err_set(err, CX_E_LAYER_CORRUPT,
		                  "layer sha256:%s was changed after it was "
		                  "published; " AGAIN, name);
	return cx_fd_take(&fd);
}

void cx_stamp_start(struct cx_buf *ret)
{
	cx_buf_text(ret, HEAD);
}

int cx_stamp_add(int roots_fd, const struct cx_digest *diff_id,
                struct cx_buf *ret, struct cx_err *err)
{
	char name[CX_STAMP_NAME], digest[CX_DIGEST_TEXT];
	CX_AUTO_FD int fd = -1;
	struct stat now;

	cx_stamp_root(diff_id, name);
	cx_digest_text(diff_id, digest);
	fd = cx_path_open(roots_fd, name, O_PATH | O_DIRECTORY, 0);
	if (fd < 0 || fstat(fd, &now) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open roots/%s", name);
	cx_buf_print(ret, "layer %s %" PRIu64 " %lld.%09ld %lld.%09ld\n",
	             digest, (uint64_t)now.st_ino,
	             (long long)now.st_mtim.tv_sec, now.st_mtim.tv_nsec,
	             (long long)now.st_ctim.tv_sec, now.st_ctim.tv_nsec);
	return 0;
}
