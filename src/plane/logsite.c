/* logsite.c - see logsite.h. */
#include "plane/logsite.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/promise.h"
#include "store/state.h"

enum { SUFFIX_MAX = 3 }; /* ".99" */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Going up from the folder itself, so that no link hides where it is. */
static int is_below(int folder_fd, const struct stat *top)
{
	CX_AUTO_FD int at = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
	struct stat here, above;

	if (at < 0 || fstat(at, &here) < 0)
		return -1;
	for (;;) {
		int up;

		if (is_same(&here, top))
			return 1;
		up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (up < 0 || fstat(up, &above) < 0) {
			cx_fd_close_at(&up);
			return -1;
		}
		cx_fd_close_at(&at);
		at = up;
		if (is_same(&here, &above))
			return 0;
		here = above;
	}
}

static int check_place(const struct cx_logsite *site, const char *path,
                       struct cx_err *err)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	struct stat top;
	int below;

	if (cx_state_find(&state, err) < 0)
		return err->sys == ENOENT ? 0 : -1; /* nothing lies in it */
	below = fstat(state.fd, &top) < 0 ? -1
	                                  : is_below(site->folder_fd, &top);
	if (below < 0)
		return cx_err_sys(err, CX_E_CONFIG_INVALID, "where %.400s "
		                  "lies", path);
	if (!CX_PROMISE(log_outside_state, below == 0))
		return cx_err_set(err, CX_E_CONFIG_INVALID, "%.400s lies in "
		                  "the state folder; the log of destinations "
		                  "stands apart from it", path);
	return 0;
}

static int check_folder(const struct cx_logsite *site, const char *path,
                        struct cx_err *err)
{
	struct stat found;

	if (fstat(site->folder_fd, &found) < 0)
		return cx_err_sys(err, CX_E_CONFIG_INVALID, "%.400s", path);
	if (!CX_PROMISE(log_folder_ours, cx_fd_is_ours(&found)))
		return cx_err_set(err, CX_E_CONFIG_INVALID, "the folder of "
		                  "%.400s belongs to another user, or others "
		                  "may write it", path);
	return check_place(site, path, err);
}

static int open_site(const char *path, struct cx_logsite *site,
                     struct cx_err *err)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	if (!slash || !cx_path_name(slash + 1) ||
	    strlen(slash + 1) + SUFFIX_MAX > NAME_MAX)
		return cx_err_set(err, CX_E_CONFIG_INVALID, "must be the "
		                  "absolute path of a file");
	snprintf(site->name, sizeof site->name, "%s", slash + 1);
	snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
	site->folder_fd = open(*folder ? folder : "/",
	                       O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (site->folder_fd < 0)
		return cx_err_sys(err, CX_E_CONFIG_INVALID, "the folder of "
		                  "%.400s", path);
	return check_folder(site, path, err);
}

int cx_logsite_open(const struct cx_config *config, struct cx_logsite *ret,
                    struct cx_err *err)
{
	CX_AUTO_LOGSITE struct cx_logsite site = CX_LOGSITE_NONE;

	*ret = CX_LOGSITE_NONE;
	if (!config->log_path)
		return 0;
	site.max_bytes = config->log_max_bytes;
	site.keep = config->log_keep;
	if (open_site(config->log_path, &site, err) < 0)
		return cx_err_at(err, "/egress/log/path");
	*ret = site;
	site.folder_fd = -1;
	return 0;
}

void cx_logsite_done(struct cx_logsite *site)
{
	cx_fd_close_at(&site->folder_fd);
}
