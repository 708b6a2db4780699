/*
 * tarin.c - a tar file read into a workspace. Whatever it holds, nothing
 * beside the workspace is made or changed, nothing but folders, files and
 * links is in it, and it isn't over its bound. What could be read can be
 * written, and read again.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "store/tarin.h"
#include "store/tarout.h"
#include "store/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KIB_MAX = 256, INODES_MAX = 64 };

static char folder[64];
static int outside = -1;

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void remove_folder(void)
{
	cx_path_remove(AT_FDCWD, folder);
}

static void make_folder(void)
{
	snprintf(folder, sizeof folder, "%s/cx-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	demand(mkdtemp(folder) != NULL);
	atexit(remove_folder);
	outside = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	demand(outside >= 0);
}

/* The folder holds the workspace, and that alone. */
static void check_outside(void)
{
	int copy = openat(outside, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fdopendir(copy);
	const struct dirent *entry;

	demand(dir != NULL);
	while ((entry = readdir(dir)))
		demand(strcmp(entry->d_name, ".") == 0 ||
		       strcmp(entry->d_name, "..") == 0 ||
		       strcmp(entry->d_name, "ws") == 0);
	closedir(dir);
}

static void check_inside(int top, bool bounded)
{
	CX_AUTO_WALK struct cx_walk walk = { 0 };
	struct cx_walk_entry entry;
	uint64_t inodes = 0;

	demand(cx_walk_start(top, false, &walk) == 0);
	while (cx_walk_next(&walk, &entry) > 0) {
		mode_t mode = entry.stat.st_mode;

		if (entry.step == CX_WALK_LEAVE)
			continue;
		inodes++;
		demand(S_ISDIR(mode) || S_ISREG(mode) || S_ISLNK(mode));
		demand(S_ISLNK(mode) || (mode & 07000) == 0);
	}
	demand(!bounded || inodes <= INODES_MAX);
}

static int import(int tar, int top)
{
	const struct cx_tarin_rule rule = {
		.max = { .kib = KIB_MAX, .inodes = INODES_MAX },
	};
	CX_AUTO_JSON json_t *files = json_array();
	struct cx_err err;

	demand(lseek(tar, 0, SEEK_SET) == 0);
	return cx_tarin_read(tar, top, &rule, files, &err);
}

static void again(int top)
{
	CX_AUTO_FD int tar = memfd_create("again", MFD_CLOEXEC);
	CX_AUTO_JSON json_t *files = json_array();
	struct cx_err err;
	bool truncated;

	demand(cx_tarout_write(top, tar, files, &truncated, &err) == 0);
	demand(cx_path_remove(outside, "ws") == 0);
	demand(mkdirat(outside, "ws", 0700) == 0);
	{
		CX_AUTO_FD int fresh = openat(outside, "ws", O_RDONLY |
		                              O_DIRECTORY | O_CLOEXEC);

		demand(import(tar, fresh) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CX_AUTO_FD int tar = memfd_create("tar", MFD_CLOEXEC);
	CX_AUTO_FD int top = -1;

	if (outside < 0)
		make_folder();
	demand(mkdirat(outside, "ws", 0700) == 0);
	top = openat(outside, "ws", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	demand(cx_fd_write(tar, data, size) == 0);
	if (import(tar, top) == 0) {
		check_inside(top, true);
		again(top);
	} else {
		check_inside(top, false);
	}
	check_outside();
	demand(cx_path_remove(outside, "ws") == 0);
	return 0;
}
