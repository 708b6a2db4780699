/* volume.c - see volume.h. */
#include "store/volume.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/hex.h"
#include "base/path.h"
#include "base/promise.h"
#include "base/rand.h"
#include "model/profile.h"
#include "store/disk.h"
#include "store/label.h"
#include "store/lock.h"
#include "store/rehearsal.h"

/* Beside data/ and label: collect it when its last command has ended. */
static const char dropped[] = "dropped";

static const struct cx_turn no_turn = { .cancel_fd = -1 };

static const int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/* A new folder with data/ in it, under a shared lease. Collection may take it
 * in the moment before it is leased: then it is made again. */
static int make_leased(int org_fd, const char *name, int *ret_fd,
                       struct cx_err *err)
{
	for (;;) {
		CX_AUTO_FD int fd = -1;

		if (mkdirat(org_fd, name, 0700) < 0)
			break;
		if (cx_lock_folder(org_fd, name, CX_LOCK_SHARED, true, &fd,
		                   err) < 0) {
			if (err->sys == ENOENT)
				continue;
			return -1;
		}
		if (mkdirat(fd, "data", 0755) < 0)
			break;
		/* Where 10001 isn't a user of ours (no root, or root of a
		 * namespace) the files stay the caller's. */
		if (geteuid() == 0 && fchownat(fd, "data", CX_PROFILE_ID,
		                               CX_PROFILE_ID, 0) < 0 &&
		    errno != EINVAL && errno != EPERM)
			break;
		*ret_fd = cx_fd_take(&fd);
		return 0;
	}
	return cx_err_sys(err, CX_E_IO_ERROR, "make a workspace");
}

static int random_name(const char *prefix, char ret_name[32],
                       struct cx_err *err)
{
	uint8_t random[10];
	size_t length = strlen(prefix);

	memcpy(ret_name, prefix, length);
	if (cx_rand_fill(random, sizeof random, err) < 0)
		return -1;
	cx_hex_write(random, sizeof random, ret_name + length);
	return 0;
}

/* Makes the workspace under a name of its own, then moves it in place: a
 * folder that has a key is always whole. Another process may be faster, then
 * nothing is made and volume has no lease. */
static int make(struct cx_volume *volume, const struct cx_volume_owner *owner,
                struct cx_err *err)
{
	char name[32];
	int result = -1;

	if (random_name(".new-", name, err) < 0 ||
	    make_leased(volume->org_fd, name, &volume->lease_fd, err) < 0)
		return -1;
	if (cx_label_write(volume->lease_fd, owner, err) == 0) {
		volume->made = renameat2(volume->org_fd, name, volume->org_fd,
		                         volume->key, RENAME_NOREPLACE) == 0;
		if (volume->made)
			return 0;
		result = errno == EEXIST ? 0 : cx_err_sys(
			err, CX_E_IO_ERROR, "make a workspace");
	}
	cx_path_remove(volume->org_fd, name);
	cx_fd_close_at(&volume->lease_fd);
	return result;
}

int cx_volume_place(const struct cx_volume *volume)
{
	return volume->mount_fd >= 0 ? volume->mount_fd : volume->lease_fd;
}

/* Opens data/ of the leased folder and hands the volume over. Who has it alone
 * clears up after a dry run that was killed. */
static int finish(struct cx_volume *volume, enum cx_turn_mode mode,
                  struct cx_volume *ret, struct cx_err *err)
{
	volume->data_fd = openat(volume->lease_fd, "data", folder_flags);
	if (volume->data_fd < 0 && errno == EACCES &&
	    fchmodat(volume->lease_fd, "data", 0700, 0) == 0)
		/* the sandbox had closed its own root */
		volume->data_fd = openat(volume->lease_fd, "data",
		                         folder_flags);
	if (volume->data_fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open the workspace");
	if (cx_disk_is(volume->lease_fd)) {
		cx_fd_close_at(&volume->data_fd);
		if (cx_disk_open(volume->lease_fd, &volume->mount_fd,
		                 &volume->data_fd, err) < 0)
			return -1;
	}
	if (mode == CX_TURN_ALONE &&
	    cx_rehearsal_clear(cx_volume_place(volume)) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "clear an older dry "
		                  "run");
	*ret = *volume;
	*volume = (struct cx_volume)CX_VOLUME_NONE;
	return 0;
}

/* The name is still that of the folder at fd. */
static bool is_named(int org_fd, const char *name, int fd)
{
	struct stat held, named;

	return fstat(fd, &held) == 0 &&
	       fstatat(org_fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* Moved out of its name's way first: from then on a new command gets a new,
 * empty one. */
int cx_volume_remove(int org_fd, const char *name, int lease_fd,
                     struct cx_err *err)
{
	char gone[32];

	if (!is_named(org_fd, name, lease_fd))
		return 0;
	if (random_name(".gone-", gone, err) < 0)
		return -1;
	if (renameat(org_fd, name, org_fd, gone) < 0 ||
	    cx_path_remove(org_fd, gone) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "remove a workspace");
	return 0;
}

/* What was removed while its turn was waited for is gone: another is used. One
 * that is to go, and that nobody else may touch now, goes at once. */
static int check_turn(struct cx_volume *volume, enum cx_turn_mode mode,
                      struct cx_err *err)
{
	bool is_there = is_named(volume->org_fd, volume->key,
	                         volume->lease_fd);

	if (is_there && mode == CX_TURN_ALONE &&
	    faccessat(volume->lease_fd, dropped, F_OK, 0) == 0) {
		if (cx_volume_remove(volume->org_fd, volume->key,
		                     volume->lease_fd, err) < 0)
			return -1;
		is_there = false;
	}
	if (is_there)
		return 0;
	cx_fd_close_at(&volume->turn_fd);
	cx_fd_close_at(&volume->lease_fd);
	return 0;
}

int cx_volume_open(const struct cx_state *state,
                   const struct cx_volume_owner *owner,
                   const struct cx_turn *turn, struct cx_volume *ret,
                   struct cx_err *err)
{
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;

	if (cx_address_key(owner, volume.key, err) < 0 ||
	    cx_address_org(state, owner->org_id, true, &volume.org_fd, err) < 0)
		return -1;
	while (volume.lease_fd < 0) {
		if (cx_lock_folder(volume.org_fd, volume.key, CX_LOCK_SHARED,
		                   true, &volume.lease_fd, err) == 0)
			cx_label_touch(volume.lease_fd);
		else if (err->sys != ENOENT || make(&volume, owner, err) < 0)
			return -1;
		if (volume.lease_fd >= 0 &&
		    (cx_turn_take(volume.lease_fd, turn, &volume.turn_fd,
		                  err) < 0 ||
		     check_turn(&volume, turn->mode, err) < 0))
			return -1;
	}
	return finish(&volume, turn->mode, ret, err);
}

/* A spare one, leased under its new name; false when there is none. */
static bool take_spare(struct cx_volume *volume)
{
	struct cx_err ignored;

	return volume->spare_fd >= 0 &&
	       cx_spare_take(volume->spare_fd, volume->org_fd, volume->key) &&
	       cx_lock_folder(volume->org_fd, volume->key, CX_LOCK_SHARED,
	                      true, &volume->lease_fd, &ignored) == 0;
}

int cx_volume_pass(const struct cx_state *state,
                   const struct cx_volume_owner *owner, struct cx_volume *ret,
                   struct cx_err *err)
{
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;

	if (cx_address_key(owner, volume.key, err) < 0 ||
	    cx_address_org(state, owner->org_id, true, &volume.org_fd, err) < 0)
		return -1;
	volume.spare_fd = cx_spare_open(state);
	if (!take_spare(&volume) &&
	    make_leased(volume.org_fd, volume.key, &volume.lease_fd, err) < 0)
		return -1;
	volume.made = true;
	volume.passing = true;
	if (finish(&volume, CX_TURN_NONE, ret, err) < 0)
		return -1;
	cx_spare_look(ret->data_fd, &ret->form);
	return 0;
}

static int absent(struct cx_err *err)
{
	cx_err_set(err, CX_E_IO_ERROR, "there is no such workspace; "
	           "cx-run workspace list shows those that are there");
	err->status = 66;
	err->sys = ENOENT;
	return -1;
}

int cx_volume_find(const struct cx_state *state,
                   const struct cx_volume_owner *owner,
                   const struct cx_turn *turn, struct cx_volume *ret,
                   struct cx_err *err)
{
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;

	if (cx_address_key(owner, volume.key, err) < 0 ||
	    cx_address_org(state, owner->org_id, false, &volume.org_fd,
	                   err) < 0)
		return -1;
	if (volume.org_fd < 0)
		return absent(err);
	while (volume.lease_fd < 0) {
		if (cx_lock_folder(volume.org_fd, volume.key, CX_LOCK_SHARED,
		                   true, &volume.lease_fd, err) < 0)
			return err->sys == ENOENT ? absent(err) : -1;
		if (cx_turn_take(volume.lease_fd, turn, &volume.turn_fd,
		                 err) < 0 ||
		    check_turn(&volume, turn->mode, err) < 0)
			return -1;
	}
	return finish(&volume, turn->mode, ret, err);
}

static bool keep_spare(const struct cx_volume *volume)
{
	return volume->passing && volume->spare_fd >= 0 &&
	       volume->data_fd >= 0 &&
	       cx_spare_put(volume->spare_fd, volume->org_fd, volume->key,
	                    volume->data_fd, &volume->form);
}

/* Nobody else knows a passing one's name: it needn't go out of the way. The
 * commonest is empty. */
static bool remove_passing(const struct cx_volume *volume)
{
	if (!volume->passing)
		return false;
	if (unlinkat(volume->lease_fd, "data", AT_REMOVEDIR) == 0 &&
	    unlinkat(volume->org_fd, volume->key, AT_REMOVEDIR) == 0)
		return true;
	return cx_path_remove(volume->org_fd, volume->key) == 0;
}

void cx_volume_done(struct cx_volume *volume)
{
	struct cx_err ignored;
	bool goes = volume->lease_fd >= 0 &&
	            (volume->passing || faccessat(volume->lease_fd, dropped,
	                                          F_OK, 0) == 0);

	if (goes && CX_PROMISE(workspace_lease,
	                       cx_lock_alone(volume->lease_fd)) &&
	    !keep_spare(volume) && !remove_passing(volume))
		/* what can't be removed now is left to collection */
		cx_volume_remove(volume->org_fd, volume->key, volume->lease_fd,
		                 &ignored);
	cx_fd_close_at(&volume->data_fd);
	cx_fd_close_at(&volume->turn_fd);
	cx_fd_close_at(&volume->lease_fd);
	cx_fd_close_at(&volume->org_fd);
	cx_fd_close_at(&volume->spare_fd);
}

void cx_volume_reclaim(const struct cx_state *state,
                       const struct cx_volume_owner *owner)
{
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;
	struct cx_err ignored;

	if (cx_address_key(owner, volume.key, &ignored) < 0 ||
	    cx_address_org(state, owner->org_id, false, &volume.org_fd,
	             &ignored) < 0 || volume.org_fd < 0 ||
	    cx_lock_folder(volume.org_fd, volume.key, CX_LOCK_EXCLUSIVE,
	                   false, &volume.lease_fd, &ignored) < 0)
		return;
	volume.passing = true; /* goes with this lease */
}

int cx_volume_drop(const struct cx_state *state,
                   const struct cx_volume_owner *owner, bool *ret_gone,
                   struct cx_err *err)
{
	CX_AUTO_FD int mark = -1;
	CX_AUTO_VOLUME struct cx_volume volume = CX_VOLUME_NONE;
	struct stat stat;

	*ret_gone = true;
	if (cx_volume_find(state, owner, &no_turn, &volume, err) < 0)
		return err->status == 66 ? 0 : -1;
	mark = openat(volume.lease_fd, dropped, O_WRONLY | O_CREAT |
	              O_NOFOLLOW | O_CLOEXEC, 0600);
	if (mark < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "mark a workspace");
	cx_volume_done(&volume);
	/* its folder is gone when the mark has no name any more */
	*ret_gone = fstat(mark, &stat) == 0 && stat.st_nlink == 0;
	return 0;
}
