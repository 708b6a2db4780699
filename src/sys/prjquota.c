/* prjquota.c - see prjquota.h. */
#include "sys/prjquota.h"

#include <errno.h>
#include <linux/dqblk_xfs.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/quota.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Ids of ours, out of the way of those that people write into /etc/projects;
 * as many as will ever be looked at for a free one. */
enum { FIRST_ID = 0x43580000, IDS = 0x10000 };
enum { PROJECTS = 2 }; /* PRJQUOTA */

static int control(int fd, int command, unsigned id, void *data)
{
	return (int)syscall(SYS_quotactl_fd, fd, QCMD(command, PROJECTS), id,
	                    data);
}

bool cx_prjquota_can(int fd)
{
	struct fs_quota_statv state = { .qs_version = FS_QSTATV_VERSION1 };

	return control(fd, Q_XGETQSTATV, 0, &state) == 0 &&
	       (state.qs_flags & FS_QUOTA_PDQ_ENFD);
}

/* Whoever uses an id uses the inode of its folder at least. */
static bool is_free(int fd, unsigned id)
{
	struct dqblk quota = { 0 };

	if (control(fd, Q_GETQUOTA, id, &quota) < 0)
		return errno == ENOENT;
	return quota.dqb_curspace == 0 && quota.dqb_curinodes == 0;
}

static int join(int fd, struct fsxattr *attributes)
{
	struct stat folder;

	if (fstat(fd, &folder) < 0)
		return -1;
	for (unsigned i = 0; i < IDS; i++) {
		unsigned id = FIRST_ID + ((unsigned)folder.st_ino + i) % IDS;

		if (!is_free(fd, id))
			continue;
		attributes->fsx_projid = id;
		attributes->fsx_xflags |= FS_XFLAG_PROJINHERIT;
		return ioctl(fd, FS_IOC_FSSETXATTR, attributes);
	}
	errno = EBUSY;
	return -1;
}

static bool is_ours(const struct fsxattr *attributes)
{
	return (attributes->fsx_xflags & FS_XFLAG_PROJINHERIT) &&
	       attributes->fsx_projid >= FIRST_ID &&
	       attributes->fsx_projid < FIRST_ID + IDS;
}

int cx_prjquota_limit(int folder_fd, uint64_t kib, uint64_t inodes)
{
	struct dqblk quota = {
		.dqb_bhardlimit = kib, .dqb_bsoftlimit = kib,
		.dqb_ihardlimit = inodes, .dqb_isoftlimit = inodes,
		.dqb_valid = QIF_LIMITS,
	};
	struct fsxattr attributes;

	if (ioctl(folder_fd, FS_IOC_FSGETXATTR, &attributes) < 0 ||
	    (!is_ours(&attributes) && join(folder_fd, &attributes) < 0))
		return -1;
	return control(folder_fd, Q_SETQUOTA, attributes.fsx_projid, &quota);
}
