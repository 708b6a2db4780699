/* rehearsal.c - see rehearsal.h. */
#include "store/rehearsal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "store/imprint.h"
#include "store/pending.h"
#include "store/replica.h"
#include "store/volume.h"

enum { DYING_MS = 2000 };

static const int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

static const char folder[] = "rehearsal", base[] = "rehearsal.base",
                  names[] = "rehearsal.index";

static int make_folder(int place_fd, const char *name, int *ret_fd,
                       struct cx_err *err)
{
	if (mkdirat(place_fd, name, 0700) == 0)
		*ret_fd = openat(place_fd, name, folder_flags);
	if (*ret_fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a dry run's copy");
	return 0;
}

int cx_rehearsal_make(int place_fd, struct cx_rehearsal *ret,
                      struct cx_err *err)
{
	ret->place_fd = place_fd;
	if (cx_rehearsal_clear(place_fd) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "clear an older dry "
		                  "run");
	ret->is_open = true;
	return make_folder(place_fd, folder, &ret->data_fd, err);
}

int cx_rehearsal_fill(const struct cx_rehearsal *rehearsal, int base_fd,
                      int data_fd, bool own, int cancel_fd,
                      struct cx_err *err)
{
	CX_AUTO_FD int index = -1;
	struct cx_replica replica = {
		.from_fd = base_fd, .to_fd = data_fd, .own = own,
		.cancel_fd = cancel_fd,
	};
	int place = rehearsal->place_fd;
	struct cx_digest imprint;

	if (make_folder(place, names, &index, err) < 0)
		return -1;
	replica.index_fd = index;
	if (cx_replica_make(&replica, err) < 0)
		return -1;
	if (cx_path_remove(place, names) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "clear a dry run's "
		                  "index");
	if (cx_imprint_take(base_fd, &imprint, err) < 0)
		return -1;
	return cx_pending_note(place, base, base_fd, &imprint, err);
}

int cx_rehearsal_clear(int place_fd)
{
	if (cx_path_remove(place_fd, folder) < 0 ||
	    cx_path_remove(place_fd, base) < 0 ||
	    cx_path_remove(place_fd, names) < 0)
		return -1;
	return cx_pending_is_there(place_fd) ? 0
	       : cx_path_remove(place_fd, CX_PENDING);
}

/* What waits without its note doesn't wait: so the old note goes first, and the
 * new one comes last. */
int cx_rehearsal_keep(struct cx_rehearsal *rehearsal, struct cx_err *err)
{
	int place = rehearsal->place_fd;

	if (cx_pending_discard(place, err) < 0)
		return -1;
	if (renameat(place, folder, place, CX_PENDING) < 0 ||
	    renameat(place, base, place, CX_PENDING_BASE) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "keep a dry run's "
		                  "changes");
	rehearsal->is_open = false;
	return 0;
}

void cx_rehearsal_done(struct cx_rehearsal *rehearsal)
{
	cx_fd_close_at(&rehearsal->data_fd);
	/* what can't be removed now goes with the next that is made */
	if (rehearsal->is_open && cx_rehearsal_clear(rehearsal->place_fd) < 0)
		errno = 0;
	rehearsal->is_open = false;
}

void cx_rehearsal_reclaim(const struct cx_state *state,
                          const struct cx_volume_owner *owner)
{
	/* the kernel takes a moment to let go of a dead process's turn */
	const struct cx_turn turn = {
		.mode = CX_TURN_ALONE, .wait_ms = DYING_MS, .cancel_fd = -1,
	};
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;
	struct cx_err ignored;

	/* taking the turn alone does it */
	if (cx_volume_find(state, owner, &turn, &volume, &ignored) < 0)
		return;
}
