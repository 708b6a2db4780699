/* revocation.c - see revocation.h. */
#include "plane/revocation.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"

enum { MAX_BYTES = 256 * 1024 * 1024 };

static const char NAME[] = "revoked";
static const char PATH[] = "keys/revoked"; /* below the state folder */

void cx_revocation_done(struct cx_revocation *revocation)
{
	cx_fd_close_at(&revocation->fd);
	cx_buf_done(&revocation->text);
}

static int load(const struct cx_state *state, struct cx_revocation *ret,
                struct cx_err *err)
{
	ret->fd = openat(state->fd, PATH, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	                 O_CLOEXEC);
	if (ret->fd < 0 || fstat(ret->fd, &ret->seen) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %s", PATH);
	if (!S_ISREG(ret->seen.st_mode) || !cx_fd_is_ours(&ret->seen))
		return cx_err_set(err, CX_E_KEY_PERMISSIONS,
		                  "%s isn't a file that only we may write; "
		                  "chown it to us and chmod 600 it", PATH);
	return cx_fd_slurp(ret->fd, MAX_BYTES, PATH, &ret->text, err);
}

/* Is jti a line of the sorted text? */
static bool find(const struct cx_buf *text, const char *jti)
{
	size_t low = 0, high = text->size;
	size_t length = strlen(jti);

	while (low < high) {
		size_t at = low + (high - low) / 2;
		const char *line, *end;
		int order;

		while (at > low && text->data[at - 1] != '\n')
			at--;
		line = text->data + at;
		end = memchr(line, '\n', text->size - at);
		if (!end)
			end = text->data + text->size;
		order = strncmp(jti, line, (size_t)(end - line));
		if (order == 0 && length == (size_t)(end - line))
			return true;
		if (order < 0 || (order == 0 && length < (size_t)(end - line)))
			high = at;
		else
			low = (size_t)(end - text->data) + 1;
	}
	return false;
}

int cx_revocation_has(const struct cx_state *state,
                      struct cx_revocation *revocation, const char *jti,
                      bool *ret, struct cx_err *err)
{
	struct stat now;

	if (fstatat(state->fd, PATH, &now, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return cx_err_sys(err, CX_E_IO_ERROR, "stat %s", PATH);
		cx_revocation_done(revocation);
		*ret = false;
		return 0;
	}
	if (revocation->fd < 0 || !cx_fd_unchanged(&revocation->seen, &now)) {
		cx_revocation_done(revocation);
		if (load(state, revocation, err) < 0) {
			cx_revocation_done(revocation);
			return -1;
		}
	}
	*ret = find(&revocation->text, jti);
	return 0;
}

static int write_list(struct cx_db *db, struct cx_err *err)
{
	CX_AUTO_STMT struct cx_stmt row = { NULL };
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_FD int keys_fd = -1;
	int got;

	if (cx_db_query(db, &row, err,
	                "SELECT jti FROM revoked ORDER BY jti", "") < 0)
		return -1;
	while ((got = cx_db_next(&row, err)) > 0) {
		cx_buf_text(&text, cx_db_text(&row, 0));
		cx_buf_byte(&text, '\n');
	}
	if (got < 0 ||
	    cx_state_folder(db->state, CX_STATE_KEYS, &keys_fd, err) < 0)
		return -1;
	return cx_fd_replace(keys_fd, NAME, text.data, text.size, 0600, err);
}

int cx_revocation_add(struct cx_db *db, const char *jti, int64_t now,
                      int64_t keep_s, struct cx_err *err)
{
	if (cx_db_begin(db, err) < 0)
		return -1;
	if (cx_db_run(db, err, "INSERT OR IGNORE INTO revoked VALUES (?, ?)",
	              "si", jti, now) < 0 ||
	    cx_db_run(db, err, "DELETE FROM revoked WHERE revoked_at < ?", "i",
	              now - keep_s) < 0 ||
	    write_list(db, err) < 0) {
		cx_db_rollback(db);
		return -1;
	}
	return cx_db_commit(db, err);
}
