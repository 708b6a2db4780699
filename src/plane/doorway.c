/* doorway.c - see doorway.h. */
#include "plane/doorway.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/fd.h"
#include "base/promise.h"
#include "base/str.h"
#include "data/answer.h"
#include "wire/message.h"

enum { BACKLOG = 128 };

static int open_place(const struct cx_state *state,
                      const struct cx_doorway_wish *wish,
                      struct cx_doorway *ret, struct cx_err *err)
{
	const char *path = wish->path;
	const char *name = path ? strrchr(path, '/') : NULL;
	char folder[PATH_MAX];

	if (!path) {
		snprintf(ret->name, sizeof ret->name, "%s", wish->name);
		return cx_state_folder(state, CX_STATE_RUN, &ret->folder_fd,
		                       err);
	}
	name = name ? name + 1 : path;
	if (*name == '\0' || strlen(name) >= sizeof ret->name ||
	    (size_t)(name - path) >= sizeof folder)
		return cx_err_set(err, CX_E_USAGE, "--listen is the path of a "
		                  "socket to be made, with a last name of at "
		                  "most %zu bytes", sizeof ret->name - 1);
	snprintf(ret->name, sizeof ret->name, "%s", name);
	snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
	ret->folder_fd = open(name == path ? "." : folder, O_RDONLY |
	                      O_DIRECTORY | O_CLOEXEC);
	if (ret->folder_fd < 0 && errno == ENOENT)
		return cx_err_missing(err, folder);
	if (ret->folder_fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open %.400s", folder);
	return 0;
}

/* However deep the folder stands, this is short. */
static void address(const struct cx_doorway *door,
                    struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/%s",
	         door->folder_fd, door->name);
}

static bool somebody_listens(const struct sockaddr_un *at, int type)
{
	CX_AUTO_FD int fd = socket(AF_UNIX, type | SOCK_CLOEXEC |
	                           SOCK_NONBLOCK, 0);

	return connect(fd, (const struct sockaddr *)at, sizeof *at) == 0 ||
	       errno == EAGAIN;
}

static int clear_place(const struct cx_doorway *door,
                       const struct sockaddr_un *at, int type,
                       struct cx_err *err)
{
	struct stat stat;

	if (fstatat(door->folder_fd, door->name, &stat,
	            AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (!S_ISSOCK(stat.st_mode))
		return cx_err_set(err, CX_E_IO_ERROR, "%s is there already, "
		                  "and is no socket", door->name);
	if (somebody_listens(at, type))
		return cx_err_set(err, CX_E_STORE_BUSY, "another server "
		                  "listens at %s", door->name);
	if (unlinkat(door->folder_fd, door->name, 0) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "remove %s",
		                  door->name);
	return 0;
}

static int make(struct cx_doorway *ret, const struct sockaddr_un *at,
                struct cx_err *err)
{
	mode_t before = umask(0177);
	int bound = bind(ret->fd, (const struct sockaddr *)at, sizeof *at);

	umask(before);
	if (bound < 0 || listen(ret->fd, BACKLOG) < 0 ||
	    fstatat(ret->folder_fd, ret->name, &ret->made,
	            AT_SYMLINK_NOFOLLOW) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "listen at %s",
		                  ret->name);
	return 0;
}

int cx_doorway_open(const struct cx_state *state,
                      const struct cx_doorway_wish *wish,
                      struct cx_doorway *ret, struct cx_err *err)
{
	struct sockaddr_un at;

	*ret = (struct cx_doorway)CX_DOORWAY_NONE;
	if (open_place(state, wish, ret, err) < 0)
		return -1;
	address(ret, &at);
	ret->fd = socket(AF_UNIX, wish->type | SOCK_CLOEXEC | SOCK_NONBLOCK,
	                 0);
	if (ret->fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a socket");
	/* two that start at once look one after the other */
	if (flock(ret->folder_fd, LOCK_EX) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "lock the folder");
	if (clear_place(ret, &at, wish->type, err) < 0 ||
	    make(ret, &at, err) < 0)
		return -1;
	flock(ret->folder_fd, LOCK_UN);
	return 0;
}

static void refuse(int fd)
{
	CX_AUTO_BUF struct cx_buf line = { 0 };
	CX_AUTO_JSON json_t *doc = json_object();
	struct cx_err err;

	cx_err_set(&err, CX_E_CONTROL_UNAUTHORIZED,
	           "this server talks to its own user and to root");
	json_object_set_new(doc, "error", cx_answer_error(&err));
	cx_answer_line(doc, &line);
	send(fd, line.data, line.size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int cx_doorway_accept(int listen_fd)
{
	CX_AUTO_FD int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return -1;
	if (CX_PROMISE(peer_is_ours, cx_message_peer_is_ours(fd)))
		return cx_fd_take(&fd);
	refuse(fd);
	return -1;
}

void cx_doorway_remove(const struct cx_doorway *door)
{
	struct stat stat;

	if (fstatat(door->folder_fd, door->name, &stat,
	            AT_SYMLINK_NOFOLLOW) == 0 &&
	    stat.st_ino == door->made.st_ino &&
	    stat.st_dev == door->made.st_dev)
		unlinkat(door->folder_fd, door->name, 0);
}

void cx_doorway_done(struct cx_doorway *door)
{
	cx_fd_close_at(&door->fd);
	cx_fd_close_at(&door->folder_fd);
}
