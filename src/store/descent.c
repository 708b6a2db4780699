/* descent.c - see descent.h. */
#include "store/descent.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/promise.h"
#include "base/str.h"

static int refuse(struct cx_err *err, const char *path, const char *why)
{
	return cx_err_set(err, CX_E_UNSAFE_PATH, "%.300s: %s", path, why);
}

static void forget(struct cx_descent *descent)
{
	cx_fd_close_at(&descent->fd);
	cx_buf_clear(&descent->path);
}

/* One folder further down. */
static int step(struct cx_descent *descent, const char *name, size_t length,
                bool make, const char *path, struct cx_err *err)
{
	int from = descent->fd < 0 ? descent->top_fd : descent->fd;
	char part[256];
	int next;

	memcpy(part, name, length);
	part[length] = '\0';
	if (make && mkdirat(from, part, 0755) == 0) {
		descent->made++;
		if (descent->chown &&
		    fchownat(from, part, descent->owner, descent->owner,
		             AT_SYMLINK_NOFOLLOW) < 0)
			return cx_err_sys(err, CX_E_IO_ERROR, "%.300s", path);
	}
	next = openat(from, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
	              (CX_PROMISE(workspace_links, false) ? 0 : O_NOFOLLOW));
	if (next < 0 && (errno == ELOOP || errno == ENOTDIR))
		return refuse(err, path, "leads over a link or a file");
	if (next < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "%.300s", path);
	cx_fd_close_at(&descent->fd);
	descent->fd = next;
	if (descent->path.size)
		cx_buf_byte(&descent->path, '/');
	cx_buf_add(&descent->path, part, length);
	return 0;
}

/* How much of path is known already, in bytes; goes back to the top when
 * nothing is. */
static size_t known(struct cx_descent *descent, const char *path)
{
	size_t size = descent->path.size;

	if (descent->fd >= 0 && strncmp(path, descent->path.data, size) == 0 &&
	    path[size] == '/')
		return size + 1;
	forget(descent);
	return 0;
}

int cx_descent_go(struct cx_descent *descent, const char *path, bool make,
                  int *ret_fd, const char **ret_name, struct cx_err *err)
{
	const char *at;

	if (!CX_PROMISE(workspace_paths, cx_path_inside(path)))
		return refuse(err, path, "isn't a plain path below the "
		              "workspace");
	at = path + known(descent, path);
	for (const char *slash; (slash = strchr(at, '/')); at = slash + 1)
		if (step(descent, at, (size_t)(slash - at), make, path,
		         err) < 0)
			return -1;
	*ret_fd = descent->fd < 0 ? descent->top_fd : descent->fd;
	*ret_name = at;
	return 0;
}

void cx_descent_done(struct cx_descent *descent)
{
	forget(descent);
	cx_buf_done(&descent->path);
}
