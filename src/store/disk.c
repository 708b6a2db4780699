/* disk.c - see disk.h. */
#include "store/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "model/profile.h"
#include "sys/loop.h"
#include "sys/mount.h"

enum {
	BLOCK_KIB = 4,
	INODE_BYTES = 256,
	GROUP_BLOCKS = 32768,
	OWN_BLOCKS_OF_A_GROUP = 8,
	SPARE_BLOCKS = 4096,    /* and a twentieth: none of them is written */
	SPARE_SHARE = 20,
	KEPT_SHARE = 50,        /* what ext4 keeps back for itself: a share */
	KEPT_BLOCKS_MAX = 4096, /* of all, at most so much */
	SUPER_AT = 1024,        /* the superblock, and fields of it */
	BLOCKS_AT = 4, RESERVED_AT = 8, FREE_AT = 12,
};

#define KIB_MAX (1ULL << 33)

static const char name[] = "disk";

bool cx_disk_is(int lease_fd)
{
	return faccessat(lease_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static uint64_t blocks_for(uint64_t blocks, uint64_t inodes)
{
	uint64_t block = BLOCK_KIB * UINT64_C(1024);
	uint64_t tables = inodes * INODE_BYTES / block + 1;
	uint64_t all = blocks + tables + SPARE_BLOCKS +
	               (blocks + tables) / SPARE_SHARE;

	return all + (all / GROUP_BLOCKS + 1) * OWN_BLOCKS_OF_A_GROUP;
}

/* mke2fs writes the tables' zeroes only where it doesn't know that they are
 * there: uninit_bg lets it leave them. No journal: a workspace that a crash of
 * the machine tears is no loss that its command hadn't to expect. */
static int make_system(int fd, uint64_t blocks, uint64_t inodes,
                       struct cx_err *err)
{
	CX_AUTO_FREE char *count = cx_mem_print("%llu",
	                                        (unsigned long long)inodes);
	CX_AUTO_FREE char *size = cx_mem_print("%llu",
	                                       (unsigned long long)blocks);
	const char *argv[] = {
		"/usr/sbin/mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096",
		"-I", "256", "-m", "0", "-N", count, "-O",
		"^has_journal,^resize_inode,^metadata_csum,^64bit,uninit_bg",
		"-E", "lazy_itable_init=1,nodiscard", "/dev/stdin", size, NULL,
	};
	static const char *const env[] = {
		"PATH=/usr/sbin:/sbin:/usr/bin:/bin", "LC_ALL=C", NULL,
	};
	const struct cx_spawn what = { argv, env, fd, -1, -1, false };
	int status = -1;
	pid_t pid;

	if (access(argv[0], X_OK) < 0)
		argv[0] = "/sbin/mke2fs";
	if (cx_spawn_start(&what, &pid, err) < 0 ||
	    cx_spawn_wait(pid, &status, err) < 0 || status != 0)
		return cx_err_set(err, CX_E_QUOTA_UNENFORCEABLE,
		                  "mke2fs can't make a workspace's file system "
		                  "here (install e2fsprogs); or use another "
		                  "limits.workspace_wall");
	return 0;
}

static uint32_t number_at(const unsigned char *super, size_t at)
{
	return (uint32_t)super[at] | (uint32_t)super[at + 1] << 8 |
	       (uint32_t)super[at + 2] << 16 | (uint32_t)super[at + 3] << 24;
}

/* All but the quota's blocks are root's, and no command is root. One of them
 * is the workspace's folder. */
static int reserve_rest(int fd, uint64_t blocks, struct cx_err *err)
{
	unsigned char super[16], number[4];
	uint64_t all, free_ones, kept;

	if (pread(fd, super, sizeof super, SUPER_AT) != sizeof super)
		return cx_err_sys(err, CX_E_IO_ERROR, "read a file system");
	all = number_at(super, BLOCKS_AT);
	free_ones = number_at(super, FREE_AT);
	kept = all / KEPT_SHARE;
	kept = kept < KEPT_BLOCKS_MAX ? kept : KEPT_BLOCKS_MAX;
	if (free_ones < blocks + kept + 1)
		return cx_err_set(err, CX_E_INTERNAL,
		                  "a file system is too small for its quota");
	free_ones -= blocks + kept + 1;
	for (int i = 0; i < 4; i++)
		number[i] = (unsigned char)(free_ones >> 8 * i);
	if (pwrite(fd, number, sizeof number, SUPER_AT + RESERVED_AT) !=
	    sizeof number)
		return cx_err_sys(err, CX_E_IO_ERROR, "write a file system");
	return 0;
}

int cx_disk_make(int lease_fd, uint64_t kib, uint64_t inodes,
                 struct cx_err *err)
{
	uint64_t blocks = kib / BLOCK_KIB, all = blocks_for(blocks, inodes);
	CX_AUTO_FD int fd = -1;

	if (kib > KIB_MAX)
		return cx_err_set(err, CX_E_QUOTA_UNENFORCEABLE,
		                  "limits.workspace_wall image holds "
		                  "workspaces of 8 TiB at most");
	fd = openat(lease_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
	            0600);
	if (fd < 0 || ftruncate(fd, (off_t)(all * BLOCK_KIB * 1024)) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR,
		                  "make a workspace's file system");
	if (make_system(fd, all, inodes, err) == 0 &&
	    reserve_rest(fd, blocks, err) == 0)
		return 0;
	cx_disk_drop(lease_fd);
	return -1;
}

void cx_disk_drop(int lease_fd)
{
	unlinkat(lease_fd, name, 0);
}

static int mount_device(const char *path)
{
	const struct cx_mount_option option[] = {
		{ "source", path }, { "noinit_itable", NULL }, { NULL, NULL },
	};

	return cx_mount_detached("ext4", option,
	                         CX_MOUNT_NOSUID | CX_MOUNT_NODEV);
}

/* lost+found stays outside of the workspace. */
static int open_folder(int mount_fd)
{
	static const char folder[] = "data";

	if (mkdirat(mount_fd, folder, 0755) == 0 &&
	    fchownat(mount_fd, folder, CX_PROFILE_ID, CX_PROFILE_ID, 0) < 0)
		return -1;
	return openat(mount_fd, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	              O_CLOEXEC);
}

int cx_disk_open(int lease_fd, int *ret_mount_fd, int *ret_data_fd,
                 struct cx_err *err)
{
	CX_AUTO_FD int fd = openat(lease_fd, name,
	                           O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	CX_AUTO_FD int device = -1;
	CX_AUTO_FD int mount_fd = -1;
	char path[CX_LOOP_PATH_MAX];

	if (fd >= 0 && flock(fd, LOCK_EX) == 0)
		device = cx_loop_open(fd, path);
	if (device >= 0)
		mount_fd = mount_device(path);
	*ret_data_fd = mount_fd < 0 ? -1 : open_folder(mount_fd);
	flock(fd, LOCK_UN); /* the device has the file open as we have it */
	if (*ret_data_fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR,
		                  "mount a workspace's file system");
	*ret_mount_fd = cx_fd_take(&mount_fd);
	return 0;
}
