/* parcel.c - see parcel.h. */
#include "run/parcel.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "run/carry.h"
#include "store/walk.h"

static int check_pair(const char *flag, const char *one, const char *two,
                      struct cx_err *err)
{
	const char *name, *other;
	size_t length, other_length;

	if (cx_carry_name(one, &name, &length, err) < 0 ||
	    cx_carry_name(two, &other, &other_length, err) < 0)
		return -1;
	if (length != other_length || memcmp(name, other, length) != 0)
		return 0;
	return cx_err_set(err, CX_E_USAGE, "%s %.300s and %s %.300s have the "
	                  "same last name: one would replace the other", flag,
	                  one, flag, two);
}

static int check_names(const char *flag, const struct cx_parcel *parcel,
                       struct cx_err *err)
{
	for (size_t i = 0; i < parcel->count; i++) {
		const char *name;
		size_t length;

		if (cx_carry_name(parcel->path[i], &name, &length, err) < 0)
			return -1;
		for (size_t j = 0; j < i; j++)
			if (check_pair(flag, parcel->path[j], parcel->path[i],
			               err) < 0)
				return -1;
	}
	return 0;
}

int cx_parcel_check_in(const struct cx_parcel *parcel, struct cx_err *err)
{
	return check_names("--in", parcel, err);
}

int cx_parcel_check_out(const struct cx_parcel *parcel, struct cx_err *err)
{
	for (size_t i = 0; i < parcel->count; i++) {
		const char *path = parcel->path[i];

		if (!cx_path_plain(cx_carry_below(path)))
			return cx_err_set(err, CX_E_UNSAFE_PATH,
			                  "--out \"%.400s\" isn't a plain "
			                  "path below the workspace", path);
	}
	return check_names("--out", parcel, err);
}

/* Blocks of 512 bytes and inodes: those that come, less those that go. */
struct weight {
	int data_fd;
	int64_t blocks, inodes;
};

/* A folder that is there stays; a file goes, unless it has other names. */
static void add(struct weight *weight, const struct stat *from, const char *to)
{
	CX_AUTO_FD int fd = cx_path_open(weight->data_fd, to, O_PATH, 0);
	struct stat there;

	weight->blocks += from->st_blocks;
	weight->inodes++;
	if (fd < 0 || fstat(fd, &there) < 0)
		return;
	if (S_ISDIR(there.st_mode) && S_ISDIR(from->st_mode)) {
		weight->blocks -= from->st_blocks;
		weight->inodes--;
	} else if (S_ISREG(there.st_mode) && there.st_nlink == 1) {
		weight->blocks -= there.st_blocks;
		weight->inodes--;
	}
}

static void add_tree(struct weight *weight, const char *path, const char *top)
{
	CX_AUTO_FD int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CX_AUTO_WALK struct cx_walk walk = { 0 };
	struct cx_walk_entry entry;

	if (fd < 0 || cx_walk_start(fd, true, &walk) < 0)
		return;
	while (cx_walk_next(&walk, &entry) > 0) {
		CX_AUTO_FREE char *to = cx_mem_print("%s/%s", top, entry.path);

		if (entry.step != CX_WALK_LEAVE)
			add(weight, &entry.stat, to);
	}
}

static uint64_t moved(uint64_t used, int64_t by)
{
	if (by < 0 && (uint64_t)-by > used)
		return 0;
	return used + (uint64_t)by;
}

void cx_parcel_weigh(const struct cx_parcel *parcel, int data_fd,
                     const struct cx_extent *used, struct cx_extent *ret)
{
	struct weight weight = { .data_fd = data_fd };

	for (size_t i = 0; i < parcel->count; i++) {
		CX_AUTO_FREE char *to = NULL;
		struct cx_err ignored;
		const char *name;
		struct stat from;
		size_t length;

		if (stat(parcel->path[i], &from) < 0 ||
		    cx_carry_name(parcel->path[i], &name, &length,
		                  &ignored) < 0)
			continue;
		to = cx_mem_copy(name, length);
		add(&weight, &from, to);
		if (S_ISDIR(from.st_mode))
			add_tree(&weight, parcel->path[i], to);
	}
	ret->kib = moved(used->kib, (weight.blocks + 1) / 2);
	ret->inodes = moved(used->inodes, weight.inodes);
}

int cx_parcel_admit(const struct cx_extent *extent,
                    const struct cx_extent *max, struct cx_err *err)
{
	bool kib = max->kib && extent->kib > max->kib;

	if (!cx_extent_is_over(extent, max))
		return 0;
	return cx_err_set(err, CX_E_INPUT_INVALID,
	                  "--in would make the workspace hold %llu %s, over "
	                  "the %llu of %s", (unsigned long long)
	                  (kib ? extent->kib : extent->inodes),
	                  kib ? "KiB" : "files and folders",
	                  (unsigned long long)(kib ? max->kib : max->inodes),
	                  kib ? "limits.workspace_kib" : "limits.inodes");
}
