/* state.c - see state.h. */
#include "store/state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

static const struct {
	const char *path;
	mode_t mode;
} folder[] = {
	[CX_STATE_KEYS] = { "keys", 0700 },
	[CX_STATE_OCI] = { "oci", 0755 },
	[CX_STATE_ROOTS] = { "roots", 0755 },
	[CX_STATE_WS] = { "volumes/ws", 0700 },
	[CX_STATE_SKILLS] = { "volumes/skills", 0700 },
	[CX_STATE_AUDIT] = { "audit", 0700 },
	[CX_STATE_CACHE] = { "cache", 0700 },
	[CX_STATE_RUN] = { "run", 0700 },
};

static const char *set(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Where the state folder is by rule; false when nothing says so. */
static bool choose(char ret_path[PATH_MAX])
{
	const char *own = set("CX_STATE");
	const char *xdg = set("XDG_STATE_HOME");
	const char *home = set("HOME");
	char here[PATH_MAX];
	int length = PATH_MAX;

	if (own && own[0] == '/')
		length = snprintf(ret_path, PATH_MAX, "%s", own);
	else if (own && getcwd(here, sizeof here))
		length = snprintf(ret_path, PATH_MAX, "%s/%s", here, own);
	else if (!own && geteuid() == 0)
		length = snprintf(ret_path, PATH_MAX, "/var/lib/cx");
	else if (!own && xdg && xdg[0] == '/')
		length = snprintf(ret_path, PATH_MAX, "%s/cx", xdg);
	else if (!own && home && home[0] == '/')
		length = snprintf(ret_path, PATH_MAX, "%s/.local/state/cx",
		                  home);
	return length < PATH_MAX;
}

/* The operator's own path: links in it are the operator's. */
static int make_parents(const char *path)
{
	CX_AUTO_FREE char *copy = cx_mem_text(path);
	mode_t mode = geteuid() == 0 ? 0755 : 0700;

	for (char *slash = strchr(copy + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			return -1;
		*slash = '/';
	}
	/* root's store may be read by others, see store.shared, whatever the
	 * umask */
	if (mkdir(path, mode) < 0)
		return errno == EEXIST ? 0 : -1;
	return chmod(path, mode);
}

static int check_owner(const struct cx_state *state, struct cx_err *err)
{
	struct stat now;

	if (fstat(state->fd, &now) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "stat %s", state->path);
	if (now.st_uid != geteuid())
		return cx_err_set(err, CX_E_CONFIG_INVALID,
		                  "the state folder %s belongs to user %u; set "
		                  "CX_STATE to a folder of your own",
		                  state->path, now.st_uid);
	if (now.st_mode & (S_IWGRP | S_IWOTH))
		return cx_err_set(err, CX_E_CONFIG_INVALID,
		                  "others may write the state folder %s; chmod "
		                  "go-w it", state->path);
	return 0;
}

static int open_folder(struct cx_state *state, struct cx_err *err)
{
	state->fd = open(state->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (state->fd < 0 && errno == ENOENT)
		return cx_err_missing(err, state->path);
	if (state->fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open the state folder "
		                  "%s", state->path);
	return check_owner(state, err);
}

static int open_state(bool make, struct cx_state *ret, struct cx_err *err)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;

	if (!choose(state.path))
		return cx_err_set(err, CX_E_CONFIG_INVALID,
		                  "there is no place for the state folder; set "
		                  "CX_STATE or HOME to an absolute path");
	if (make && open_folder(&state, err) < 0) {
		if (err->sys != ENOENT)
			return -1;
		if (make_parents(state.path) < 0)
			return cx_err_sys(err, CX_E_IO_ERROR, "make the state "
			                  "folder %s", state.path);
	}
	if (state.fd < 0 && open_folder(&state, err) < 0)
		return -1;
	*ret = state;
	state.fd = -1;
	return 0;
}

int cx_state_open(struct cx_state *ret, struct cx_err *err)
{
	return open_state(true, ret, err);
}

int cx_state_find(struct cx_state *ret, struct cx_err *err)
{
	return open_state(false, ret, err);
}

int cx_state_shared(const char *path, const struct cx_state *state,
                    struct cx_state *ret, struct cx_err *err)
{
	struct stat own, other;

	ret->fd = -1;
	ret->shared = true;
	if (snprintf(ret->path, sizeof ret->path, "%s", path) >= PATH_MAX)
		return cx_err_set(err, CX_E_CONFIG_INVALID,
		                  "store.shared is over %d bytes",
		                  PATH_MAX - 1);
	ret->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (ret->fd < 0 || fstat(ret->fd, &other) < 0)
		return 0;
	if (other.st_mode & S_IWOTH) {
		cx_state_done(ret);
		return cx_err_set(err, CX_E_CONFIG_INVALID,
		                  "everybody may write the shared store %s; "
		                  "chmod o-w it, or set store.shared to "
		                  "another", path);
	}
	if (fstat(state->fd, &own) == 0 && own.st_dev == other.st_dev &&
	    own.st_ino == other.st_ino)
		cx_state_done(ret);
	return 0;
}

static int make_folder(const struct cx_state *state, const char *path,
                       mode_t mode)
{
	char parent[32];
	const char *slash = strchr(path, '/');

	if (slash) {
		snprintf(parent, sizeof parent, "%.*s", (int)(slash - path),
		         path);
		if (mkdirat(state->fd, parent, 0700) < 0 && errno != EEXIST)
			return -1;
	}
	if (mkdirat(state->fd, path, mode) == 0)
		return fchmodat(state->fd, path, mode, 0); /* whatever umask */
	return errno == EEXIST ? 0 : -1;
}

int cx_state_folder(const struct cx_state *state, enum cx_state_folder which,
                    int *ret_fd, struct cx_err *err)
{
	int fd;

	if (cx_state_peek(state, which, &fd, err) < 0)
		return -1;
	if (fd < 0 && make_folder(state, folder[which].path,
	                          folder[which].mode) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make %s in %s",
		                  folder[which].path, state->path);
	if (fd < 0 && cx_state_peek(state, which, &fd, err) < 0)
		return -1;
	if (fd < 0)
		return cx_err_set(err, CX_E_IO_ERROR, "%s in %s was removed",
		                  folder[which].path, state->path);
	*ret_fd = fd;
	return 0;
}

int cx_state_peek(const struct cx_state *state, enum cx_state_folder which,
                  int *ret_fd, struct cx_err *err)
{
	int fd = cx_path_open(state->fd, folder[which].path,
	                      O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0 && errno != ENOENT)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %s in %s",
		                  folder[which].path, state->path);
	*ret_fd = fd;
	return 0;
}

void cx_state_done(struct cx_state *state)
{
	cx_fd_close_at(&state->fd);
}
