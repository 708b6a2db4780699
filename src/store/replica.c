/* replica.c - see replica.h. */
#include "store/replica.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "store/attribute.h"
#include "store/regular.h"
#include "store/twin.h"
#include "store/walk.h"

enum { LOOK_EACH = 64 };

/* Where an entry goes. */
struct place {
	const struct cx_replica *replica;
	const struct cx_walk_entry *entry;
	int to_fd;
};

static int own(const struct place *place)
{
	const struct stat *stat = &place->entry->stat;

	return place->replica->own
	       ? fchownat(place->to_fd, place->entry->name, stat->st_uid,
	                  stat->st_gid, AT_SYMLINK_NOFOLLOW) : 0;
}

static int dress(const struct place *place)
{
	const struct stat *stat = &place->entry->stat;
	const struct timespec time[2] = { stat->st_atim, stat->st_mtim };

	if (!S_ISLNK(stat->st_mode) &&
	    fchmodat(place->to_fd, place->entry->name, stat->st_mode & 07777,
	             0) < 0)
		return -1;
	return utimensat(place->to_fd, place->entry->name, time,
	                 AT_SYMLINK_NOFOLLOW);
}

static int copy_attributes(const struct place *place)
{
	return cx_attribute_copy(place->entry->folder_fd, place->entry->name,
	                         place->to_fd, place->entry->name);
}

static int fill(int from, int to)
{
	struct stat stat;

	if (fstat(from, &stat) < 0)
		return -1;
	if (stat.st_size == 0 || ioctl(to, FICLONE, from) == 0)
		return 0;
	return cx_regular_copy(from, (uint64_t)stat.st_size, to, NULL);
}

static int put_file(const struct place *place)
{
	struct stat stat;
	CX_AUTO_FD int from = cx_regular_open(place->entry->folder_fd,
	                                      place->entry->name, &stat);
	CX_AUTO_FD int to = -1;

	if (from < 0)
		return -1;
	to = openat(place->to_fd, place->entry->name, O_RDWR | O_CREAT |
	            O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0 || fill(from, to) < 0 || own(place) < 0 ||
	    copy_attributes(place) < 0)
		return -1;
	return dress(place);
}

static int put_link(const struct place *place)
{
	char target[4097];
	ssize_t n = readlinkat(place->entry->folder_fd, place->entry->name,
	                       target, sizeof target - 1);

	if (n < 0)
		return -1;
	target[n] = '\0';
	if (symlinkat(target, place->to_fd, place->entry->name) < 0 ||
	    own(place) < 0)
		return -1;
	return dress(place);
}

/* Pipes, sockets, and the one device that anybody may make, 0:0. */
static int put_node(const struct place *place)
{
	const struct stat *stat = &place->entry->stat;

	if (mknodat(place->to_fd, place->entry->name,
	            (stat->st_mode & S_IFMT) | 0600, stat->st_rdev) < 0 ||
	    own(place) < 0)
		return -1;
	return dress(place);
}

static int put_new(const struct place *place)
{
	mode_t mode = place->entry->stat.st_mode;

	if (S_ISREG(mode))
		return put_file(place);
	return S_ISLNK(mode) ? put_link(place) : put_node(place);
}

/* A file with several names has one more in the index, by its number, while
 * they come. The last of as many as a file may have takes that one's place. */
static int put_other(const struct place *place)
{
	const char *name = place->entry->name;
	int index = place->replica->index_fd;
	char number[24];

	if (place->entry->stat.st_nlink < 2)
		return put_new(place);
	snprintf(number, sizeof number, "%llu",
	         (unsigned long long)place->entry->stat.st_ino);
	if (linkat(index, number, place->to_fd, name, 0) == 0)
		return 0;
	if (errno == EMLINK)
		return renameat(index, number, place->to_fd, name);
	if (errno != ENOENT || put_new(place) < 0)
		return -1;
	return linkat(place->to_fd, name, index, number, 0);
}

static int put_folder(const struct place *place, struct cx_twin *twin)
{
	if (mkdirat(place->to_fd, place->entry->name, 0700) < 0 ||
	    own(place) < 0 || copy_attributes(place) < 0 ||
	    cx_twin_enter(twin, place->entry->name) < 0)
		return -1;
	cx_twin_dress(twin, &place->entry->stat);
	return 0;
}

static int put(const struct cx_replica *replica,
               const struct cx_walk_entry *entry, struct cx_twin *twin)
{
	const struct place place = { replica, entry, cx_twin_fd(twin) };

	return entry->step == CX_WALK_FOLDER ? put_folder(&place, twin)
	                                     : put_other(&place);
}

static int put_top(const struct cx_replica *replica, struct cx_twin *twin)
{
	struct stat stat;

	if (fstat(replica->from_fd, &stat) < 0 ||
	    (replica->own && fchown(replica->to_fd, stat.st_uid,
	                            stat.st_gid) < 0) ||
	    cx_attribute_copy(replica->from_fd, ".", replica->to_fd, ".") < 0)
		return -1;
	cx_twin_dress(twin, &stat);
	return 0;
}

static bool is_cancelled(const struct cx_replica *replica)
{
	struct pollfd cancel = { replica->cancel_fd, POLLIN, 0 };

	return poll(&cancel, 1, 0) > 0;
}

static int put_all(const struct cx_replica *replica, struct cx_twin *twin,
                   struct cx_walk *walk)
{
	struct cx_walk_entry entry;
	unsigned count = 0;
	int got;

	while ((got = cx_walk_next(walk, &entry)) > 0) {
		if (count++ % LOOK_EACH == 0 && is_cancelled(replica)) {
			errno = ECANCELED;
			return -1;
		}
		if (cx_twin_to(twin, entry.depth) < 0 ||
		    (entry.step != CX_WALK_LEAVE &&
		     put(replica, &entry, twin) < 0))
			return -1;
	}
	return got < 0 ? -1 : cx_twin_finish(twin);
}

int cx_replica_make(const struct cx_replica *replica, struct cx_err *err)
{
	CX_AUTO_WALK struct cx_walk walk = { 0 };
	CX_AUTO_TWIN struct cx_twin twin = { 0 };

	if (cx_twin_start(replica->to_fd, &twin) < 0 ||
	    put_top(replica, &twin) < 0 ||
	    cx_walk_start(replica->from_fd, false, &walk) < 0 ||
	    put_all(replica, &twin, &walk) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "copy the workspace");
	return 0;
}
