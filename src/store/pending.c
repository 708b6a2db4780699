/* pending.c - see pending.h. */
#include "store/pending.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/promise.h"
#include "data/json.h"
#include "store/imprint.h"

enum { BASE_MAX_BYTES = 4096 };

static const int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

int cx_pending_note(int place_fd, const char *name, int base_fd,
                    const struct cx_digest *imprint, struct cx_err *err)
{
	CX_AUTO_JSON json_t *base = NULL;
	CX_AUTO_BUF struct cx_buf line = { 0 };
	CX_AUTO_FD int fd = openat(place_fd, name, O_WRONLY | O_CREAT |
	                           O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	char text[CX_DIGEST_TEXT];
	struct stat stat;

	cx_digest_text(imprint, text);
	if (fd < 0 || fstat(base_fd, &stat) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "note a dry run's base");
	base = json_pack("{s:s, s:I, s:I}", "imprint", text, "inode",
	                 (json_int_t)stat.st_ino, "made",
	                 (json_int_t)(cx_clock_wall_ms() / 1000));
	cx_json_write(base, &line);
	cx_buf_byte(&line, '\n');
	if (cx_fd_write(fd, line.data, line.size) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "note a dry run's base");
	return 0;
}

static int absent(struct cx_err *err)
{
	cx_err_set(err, CX_E_IO_ERROR, "no dry run's changes wait in the "
	           "workspace; cx-run exec --dry-run makes some");
	err->status = 66;
	err->sys = ENOENT;
	return -1;
}

static int read_base(int place_fd, struct cx_pending *pending,
                     struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_JSON json_t *base = NULL;
	const char *imprint;

	if (cx_fd_load(place_fd, CX_PENDING_BASE, BASE_MAX_BYTES, &text,
	               err) < 0)
		return err->sys == ENOENT ? absent(err) : -1;
	if (cx_json_parse(text.data, text.size, CX_PENDING_BASE, &base,
	                  err) < 0)
		return -1;
	imprint = cx_json_text(base, "imprint");
	pending->inode = (uint64_t)cx_json_number(base, "inode", 0);
	pending->made = cx_json_number(base, "made", 0);
	if (imprint && cx_digest_parse(imprint, &pending->imprint))
		return 0;
	return cx_err_set(err, CX_E_IO_ERROR, "what a dry run started from "
	                  "can't be read; discard its changes");
}

/* The folder that was the workspace's own stands here: the exchange is done,
 * and only the removal was not. */
static bool is_committed(const struct cx_pending *pending)
{
	struct stat stat;

	return fstat(pending->data_fd, &stat) == 0 &&
	       (uint64_t)stat.st_ino == pending->inode;
}

int cx_pending_open(int place_fd, struct cx_pending *ret, struct cx_err *err)
{
	CX_AUTO_PENDING struct cx_pending pending = CX_PENDING_NONE;

	if (read_base(place_fd, &pending, err) < 0)
		return -1;
	pending.data_fd = openat(place_fd, CX_PENDING, folder_flags);
	if (pending.data_fd < 0 && errno == EACCES &&
	    fchmodat(place_fd, CX_PENDING, 0700, 0) == 0)
		pending.data_fd = openat(place_fd, CX_PENDING, folder_flags);
	if (pending.data_fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open a dry run's "
		                  "changes");
	if (is_committed(&pending))
		return cx_pending_discard(place_fd, err) < 0 ? -1 : absent(err);
	*ret = pending;
	pending = (struct cx_pending)CX_PENDING_NONE;
	return 0;
}

bool cx_pending_is_there(int place_fd)
{
	return faccessat(place_fd, CX_PENDING_BASE, F_OK,
	                 AT_SYMLINK_NOFOLLOW) == 0;
}

int cx_pending_is_stale(const struct cx_pending *pending, int base_fd,
                        bool *ret_stale, struct cx_err *err)
{
	struct cx_digest now;
	struct stat stat;

	if (cx_imprint_take(base_fd, &now, err) < 0)
		return -1;
	if (fstat(base_fd, &stat) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "look at the workspace");
	*ret_stale = (uint64_t)stat.st_ino != pending->inode ||
	             !cx_digest_same(&now, &pending->imprint);
	return 0;
}

int cx_pending_commit(int place_fd, int base_fd,
                      const struct cx_pending *pending, struct cx_err *err)
{
	struct cx_err ignored;
	bool stale;

	if (cx_pending_is_stale(pending, base_fd, &stale, err) < 0)
		return -1;
	if (!CX_PROMISE(commit_unchanged, !stale))
		return cx_err_set(err, CX_E_WORKSPACE_CHANGED, "the workspace "
		                  "has changed since the dry run; run that "
		                  "again, or discard its changes");
	if (renameat2(place_fd, "data", place_fd, CX_PENDING,
	              RENAME_EXCHANGE) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "commit a dry run's "
		                  "changes");
	/* done; what stays of the old one goes with the next look */
	cx_pending_discard(place_fd, &ignored);
	return 0;
}

int cx_pending_discard(int place_fd, struct cx_err *err)
{
	if (cx_path_remove(place_fd, CX_PENDING_BASE) < 0 ||
	    cx_path_remove(place_fd, CX_PENDING) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "discard a dry run's "
		                  "changes");
	return 0;
}

void cx_pending_done(struct cx_pending *pending)
{
	cx_fd_close_at(&pending->data_fd);
}
