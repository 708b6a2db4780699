/* shelf.c - see shelf.h. */
#include "store/shelf.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "base/fd.h"
#include "base/str.h"
#include "store/lock.h"
#include "store/volume.h"

static const int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

struct tour {
	const struct cx_state *state;
	cx_shelf_visit *visit;
	void *context;
};

/* Nobody holds the folder. The look itself is over at once: a command that
 * comes meanwhile waits for less than a system call. */
static bool is_free(int folder_fd)
{
	CX_AUTO_FD int fd = openat(folder_fd, ".", folder_flags);

	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static int show(const struct tour *tour, int org_fd, const char *name,
                struct cx_err *err)
{
	CX_AUTO_FD int folder = openat(org_fd, name, folder_flags);
	struct cx_label label;
	struct cx_shelf_item item = {
		.org_fd = org_fd, .folder_fd = folder, .key = name,
	};

	if (folder < 0)
		return 0;
	if (*name != '.' && cx_label_read(folder, &label))
		item.label = &label;
	item.dropped = faccessat(folder, "dropped", F_OK, 0) == 0;
	item.busy = !is_free(folder);
	return tour->visit(&item, tour->context, err);
}

/* Calls each() for every folder name below fd. */
typedef int each_name(const struct tour *tour, int fd, const char *name,
                      struct cx_err *err);

static int each_folder(const struct tour *tour, int fd, each_name *each,
                       struct cx_err *err)
{
	DIR *folder = fdopendir(fd);
	const struct dirent *entry;
	int result = 0;

	if (!folder) {
		close(fd);
		return cx_err_sys(err, CX_E_IO_ERROR, "read volumes/ws");
	}
	while (result == 0 && (entry = readdir(folder)))
		if (!cx_str_same(entry->d_name, ".") &&
		    !cx_str_same(entry->d_name, ".."))
			result = each(tour, dirfd(folder), entry->d_name, err);
	closedir(folder);
	return result;
}

static int each_org(const struct tour *tour, int fd, const char *name,
                    struct cx_err *err)
{
	int org = openat(fd, name, folder_flags);

	return org < 0 ? 0 : each_folder(tour, org, show, err);
}

int cx_shelf_each(const struct cx_state *state, cx_shelf_visit *visit,
                  void *context, struct cx_err *err)
{
	const struct tour tour = { state, visit, context };
	int ws;

	if (cx_state_peek(state, CX_STATE_WS, &ws, err) < 0)
		return -1;
	return ws < 0 ? 0 : each_folder(&tour, ws, each_org, err);
}

int cx_shelf_collect(const struct cx_shelf_item *item, bool *ret_gone,
                     struct cx_err *err)
{
	CX_AUTO_FD int lease = -1;

	*ret_gone = false;
	if (cx_lock_folder(item->org_fd, item->key, CX_LOCK_EXCLUSIVE, false,
	                   &lease, err) < 0) {
		*ret_gone = err->sys == ENOENT;
		return *ret_gone || err->code == CX_E_STORE_BUSY ? 0 : -1;
	}
	if (cx_volume_remove(item->org_fd, item->key, lease, err) < 0)
		return -1;
	*ret_gone = true;
	return 0;
}
