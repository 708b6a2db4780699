/* imprint.c - see imprint.h. */
#include "store/imprint.h"

#include <sys/stat.h>

#include "base/fd.h"
#include "store/regular.h"
#include "store/walk.h"

/* What is digested of an entry, before its name. */
struct trait {
	uint64_t inode, mode, uid, gid, size, device;
	uint64_t folder; /* its inode, where the time of change is left out */
	int64_t written_s, written_ns, changed_s, changed_ns;
	struct cx_digest bytes;
};

/* Entries come in no order that can be relied on: so it is a sum. */
static void add(struct cx_digest *sum, const struct cx_digest *one)
{
	unsigned carry = 0;

	for (size_t i = sizeof sum->byte; i-- > 0;) {
		carry += (unsigned)sum->byte[i] + one->byte[i];
		sum->byte[i] = (uint8_t)carry;
		carry >>= 8;
	}
}

/* Closed by its owner, whom we are: our own walk opens it, and that is a
 * change. Root reads it as it is. */
static bool is_closed(const struct stat *stat)
{
	mode_t need = S_ISDIR(stat->st_mode) ? 0500
	              : S_ISREG(stat->st_mode) ? 0400 : 0;

	return geteuid() != 0 && (stat->st_mode & need) != need;
}

static int read_bytes(const struct cx_walk_entry *entry,
                      struct cx_digest *ret)
{
	struct stat stat;
	CX_AUTO_FD int fd = cx_regular_open(entry->folder_fd, entry->name,
	                                    &stat);

	return fd < 0 ? -1 : cx_regular_digest(fd, (uint64_t)stat.st_size,
	                                       ret);
}

/* What tells in place of the time of change: that moves with its entry. */
static int look_closer(const struct cx_walk_entry *entry, struct trait *ret)
{
	struct stat folder;

	if (fstat(entry->folder_fd, &folder) < 0)
		return -1;
	ret->folder = folder.st_ino;
	return S_ISREG(entry->stat.st_mode) ? read_bytes(entry, &ret->bytes)
	                                    : 0;
}

static void digest(const struct stat *stat, struct trait *trait,
                   const char *name, struct cx_digest *sum)
{
	struct cx_digest_stream stream;
	struct cx_digest one;

	trait->inode = stat->st_ino;
	trait->mode = stat->st_mode;
	trait->uid = stat->st_uid;
	trait->gid = stat->st_gid;
	trait->size = S_ISDIR(stat->st_mode) ? 0 : (uint64_t)stat->st_size;
	trait->device = stat->st_rdev;
	trait->written_s = stat->st_mtim.tv_sec;
	trait->written_ns = stat->st_mtim.tv_nsec;
	if (!is_closed(stat)) {
		trait->changed_s = stat->st_ctim.tv_sec;
		trait->changed_ns = stat->st_ctim.tv_nsec;
	}
	cx_digest_start(&stream);
	cx_digest_add(&stream, trait, sizeof *trait);
	cx_digest_add(&stream, name, strlen(name));
	cx_digest_end(&stream, &one);
	add(sum, &one);
}

int cx_imprint_take(int top_fd, struct cx_digest *ret, struct cx_err *err)
{
	CX_AUTO_WALK struct cx_walk walk = { 0 };
	struct cx_digest sum = { { 0 } };
	struct trait top = { 0 };
	struct cx_walk_entry entry;
	struct stat stat;
	int got = -1;

	if (fstat(top_fd, &stat) == 0 &&
	    cx_walk_start(top_fd, false, &walk) == 0)
		got = 1;
	if (got > 0)
		digest(&stat, &top, "", &sum);
	while (got > 0 && (got = cx_walk_next(&walk, &entry)) > 0) {
		struct trait trait = { 0 };

		if (entry.step == CX_WALK_LEAVE)
			continue;
		if (is_closed(&entry.stat) && look_closer(&entry, &trait) < 0)
			got = -1;
		else
			digest(&entry.stat, &trait, entry.name, &sum);
	}
	if (got < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "look at the workspace");
	*ret = sum;
	return 0;
}
