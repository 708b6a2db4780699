/*
 * landlock.c - see landlock.h.
 *
 * The numbers stand here because the headers of older systems lack the later
 * ones; they are the kernel's ABI (Documentation/userspace-api/landlock.rst).
 */
#include "sys/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "base/promise.h"

enum { CREATE = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { VERSION = 1, PATH_BENEATH = 1 };

#define EXECUTE (1ULL << 0)
#define WRITE_FILE (1ULL << 1)
#define READ_FILE (1ULL << 2)
#define READ_DIR (1ULL << 3)
#define MAKE_CHAR (1ULL << 6)
#define MAKE_BLOCK (1ULL << 11)
#define ABI_1 ((1ULL << 13) - 1)
#define REFER (1ULL << 13)     /* ABI 2 */
#define TRUNCATE (1ULL << 14)  /* ABI 3 */
#define IOCTL_DEV (1ULL << 15) /* ABI 5 */

#define SCOPE_ABSTRACT_UNIX (1ULL << 0) /* ABI 6, with the signals */
#define SCOPE_SIGNAL (1ULL << 1)

struct ruleset {
	uint64_t fs;
	uint64_t net;    /* ABI 4: not handled, the network namespace is ours */
	uint64_t scoped; /* ABI 6 */
};

struct beneath {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

/* Not built, not chosen at boot, or kept from us by a filter around us: the
 * kernel has none. Any other answer is a fault. */
int cx_landlock_abi(void)
{
	long abi = syscall(CREATE, NULL, 0, VERSION);

	if (abi < 0 && (errno == ENOSYS || errno == EOPNOTSUPP ||
	                errno == EPERM))
		return 0;
	return (int)abi;
}

static uint64_t handled(int abi)
{
	uint64_t fs = ABI_1 | REFER;

	if (abi >= 3)
		fs |= TRUNCATE;
	if (abi >= 5)
		fs |= IOCTL_DEV;
	return fs;
}

static uint64_t granted(enum cx_landlock_access access)
{
	switch (access) {
	case CX_LANDLOCK_READ:
		return EXECUTE | READ_FILE | READ_DIR;
	case CX_LANDLOCK_DEVICE:
		return READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE |
		       IOCTL_DEV;
	case CX_LANDLOCK_WRITE:
		return (ABI_1 | REFER | TRUNCATE) & ~(MAKE_CHAR | MAKE_BLOCK);
	}
	return 0;
}

#define OF_A_FILE (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)

static int grant_one(int ruleset_fd, const struct cx_landlock_grant *grant,
                     uint64_t fs)
{
	CX_AUTO_FD int fd = open(grant->path, O_PATH | O_CLOEXEC);
	struct beneath rule = {
		.allowed = granted(grant->access) & fs,
		.parent_fd = fd,
	};

	if (fd < 0)
		return grant->optional && errno == ENOENT ? 0 : -1;
	if (syscall(ADD_RULE, ruleset_fd, PATH_BENEATH, &rule, 0) == 0)
		return 0;
	if (errno != EINVAL)
		return -1;
	/* not a folder: the rights on what is below make no sense */
	rule.allowed &= OF_A_FILE;
	return (int)syscall(ADD_RULE, ruleset_fd, PATH_BENEATH, &rule, 0);
}

int cx_landlock_enter(const struct cx_landlock_grant *grant, size_t count)
{
	int abi = cx_landlock_abi();
	struct ruleset rules = {
		.fs = handled(abi),
		.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL,
	};
	size_t size = abi >= 6 ? sizeof rules : sizeof rules.fs;
	CX_AUTO_FD int fd = -1;

	/* ABI 1 forbids every move between folders and can't grant it */
	if (abi < 2)
		return abi < 0 ? -1 : 0;
	fd = (int)syscall(CREATE, &rules, size, 0);
	if (fd < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (grant_one(fd, &grant[i], rules.fs) < 0)
			return -1;
	if (!CX_PROMISE(files_are_fenced, syscall(RESTRICT_SELF, fd, 0) == 0))
		return -1;
	return abi;
}
