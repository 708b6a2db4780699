/* loop.c - see loop.h. */
#include "sys/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/num.h"

enum { TRIES = 32, BLOCK_BYTES = 4096 };

static int open_device(unsigned number, char ret_path[CX_LOOP_PATH_MAX])
{
	snprintf(ret_path, CX_LOOP_PATH_MAX, "/dev/loop%u", number);
	return open(ret_path, O_RDWR | O_CLOEXEC);
}

/* While it is open it stays the file's. */
static bool is_of(int device_fd, const struct stat *file)
{
	struct loop_info64 info;

	return ioctl(device_fd, LOOP_GET_STATUS64, &info) == 0 &&
	       info.lo_device == file->st_dev &&
	       info.lo_inode == file->st_ino;
}

/* Only devices that have a file have this folder. */
static bool is_in_use(int folder_fd, const char *name)
{
	char path[280];

	snprintf(path, sizeof path, "%s/loop", name);
	return faccessat(folder_fd, path, F_OK, 0) == 0;
}

static int find(const struct stat *file, char ret_path[CX_LOOP_PATH_MAX])
{
	DIR *folder = opendir("/sys/block");
	struct dirent *entry;
	int found = -1;

	while (folder && found < 0 && (entry = readdir(folder))) {
		uint64_t number;

		if (strncmp(entry->d_name, "loop", 4) != 0 ||
		    !cx_num_parse(entry->d_name + 4, 0, 1 << 20, &number) ||
		    !is_in_use(dirfd(folder), entry->d_name))
			continue;
		found = open_device((unsigned)number, ret_path);
		if (found >= 0 && !is_of(found, file))
			cx_fd_close_at(&found);
	}
	if (folder)
		closedir(folder);
	return found;
}

static int attach(int file_fd, char ret_path[CX_LOOP_PATH_MAX])
{
	const struct loop_config config = {
		.fd = (unsigned)file_fd,
		.block_size = BLOCK_BYTES,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR,
	};
	CX_AUTO_FD int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

	for (int i = 0; control >= 0 && i < TRIES; i++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE);
		CX_AUTO_FD int fd = number < 0 ? -1 :
		                    open_device((unsigned)number, ret_path);

		if (fd < 0)
			return -1;
		if (ioctl(fd, LOOP_CONFIGURE, &config) == 0)
			return cx_fd_take(&fd);
		if (errno != EBUSY) /* somebody else was faster */
			return -1;
	}
	return -1;
}

int cx_loop_open(int file_fd, char ret_path[CX_LOOP_PATH_MAX])
{
	struct stat file;
	int fd;

	if (fstat(file_fd, &file) < 0)
		return -1;
	fd = find(&file, ret_path);
	return fd >= 0 ? fd : attach(file_fd, ret_path);
}
