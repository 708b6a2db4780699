/*
 * fault.c - lets one system call of a sandbox's set-up fail: linked into a
 * test build of cx-run (test/fault.mk), never into the tool itself.
 *
 *	CX_FAULT=n         call number n of the set-up answers EIO, and isn't
 *	                   made
 *	CX_FAULT_LIST=FILE writes the calls of a set-up there, a line each:
 *	                   number, who makes it, its name
 *
 * The linker turns each call of the set-up's own code into one of ours
 * (--wrap). Set-up is what lies between cx_guard_start or cx_box_run and
 * cx_watch_run in the launcher, all of the sweeper's until it looks after
 * others' groups, and all of init's and the command's until the exec. Numbers
 * count from 1 in the launcher, from 1001 in the sweeper, from 2001 inside and
 * from 3001 in who stands for the launcher in a user namespace, from 4001 in
 * who makes the group (both share its memory), from 5001 in who makes the
 * network beside init, so that who runs ahead of whom changes none of them. What is counted stands in memory that all of them
 * share.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum {
	LAUNCHER, SWEEPER, INSIDE, HELPER, ASIDE, PORTER, ROLES,
	CALLS_MAX = 1000,
};

struct shared {
	int count[ROLES];
	char name[ROLES][CALLS_MAX][40];
};

static const char *const role_name[] = {
	"launcher", "sweeper", "inside", "helper", "aside", "porter",
};
static struct shared *shared;
static bool armed;
static int role;
static pid_t launcher;
static pid_t aside;      /* it shares our memory */
static pid_t porter;     /* it shares init's; 0: it is gone */
static long wanted;

long __real_syscall(long, ...);

/* Not counted, and not remembered from before a fork. */
static pid_t own_pid(void)
{
	return (pid_t)__real_syscall(SYS_getpid);
}

static void arm(void)
{
	const char *number = getenv("CX_FAULT");

	if (!shared)
		shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
		              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	wanted = number ? strtol(number, NULL, 10) : 0;
	launcher = own_pid();
	role = LAUNCHER;
	armed = true;
}

/* Counts a call; true when it is the one that is to fail. */
static bool fails(const char *name)
{
	int who = role;
	int n;

	if (!armed)
		return false;
	if (who == LAUNCHER && own_pid() != launcher)
		who = own_pid() == aside ? ASIDE : HELPER;
	if (who == INSIDE && porter && own_pid() == porter)
		who = PORTER;
	n = __atomic_fetch_add(&shared->count[who], 1, __ATOMIC_RELAXED);
	if (n >= CALLS_MAX)
		return false;
	snprintf(shared->name[who][n], sizeof shared->name[who][n], "%s",
	         name);
	if (wanted != who * 1000 + n + 1)
		return false;
	errno = EIO;
	return true;
}

static void list(void)
{
	const char *path = getenv("CX_FAULT_LIST");
	FILE *file = path ? fopen(path, "we") : NULL;

	for (int r = 0; file && r < ROLES; r++)
		for (int i = 0; i < shared->count[r] && i < CALLS_MAX; i++)
			fprintf(file, "%d %s %s\n", r * 1000 + i + 1,
			        role_name[r], shared->name[r][i]);
	if (file)
		fclose(file);
}

/* ---- where set-up begins and ends --------------------------------------- */

int __real_cx_guard_start(const void *, bool, const void *, void *, void *);
int __wrap_cx_guard_start(const void *box, bool privileged, const void *found,
                          void *ret, void *err)
{
	int result;

	arm();
	result = __real_cx_guard_start(box, privileged, found, ret, err);
	armed = false;
	return result;
}

int __real_cx_box_run(const void *, void *, void *);
int __wrap_cx_box_run(const void *box, void *ret, void *err)
{
	int result;

	arm();
	result = __real_cx_box_run(box, ret, err);
	armed = false;
	list();
	return result;
}

void __real_cx_watch_run(void *, void *);
void __wrap_cx_watch_run(void *outside, void *ret)
{
	armed = false;
	__real_cx_watch_run(outside, ret);
}

void __real_cx_enter_run(void *);
void __wrap_cx_enter_run(void *enter)
{
	role = INSIDE;
	__real_cx_enter_run(enter);
}

void __real_cx_init_watch(void *);
void __wrap_cx_init_watch(void *enter)
{
	armed = false;
	__real_cx_init_watch(enter);
}

void __real_cx_init_fail(const void *);
void __wrap_cx_init_fail(const void *enter)
{
	armed = false;
	__real_cx_init_fail(enter);
}

bool __real_cx_roster_has_others(const void *, const char *);
bool __wrap_cx_roster_has_others(const void *subtree, const char *id)
{
	armed = false;
	return __real_cx_roster_has_others(subtree, id);
}

/* ---- the calls ----------------------------------------------------------- */

#define CALL0(result, name) \
	result __real_##name(void); \
	result __wrap_##name(void); \
	result __wrap_##name(void) \
	{ \
		return fails(#name) ? (result)-1 : __real_##name(); \
	}

#define CALL1(result, name, A) \
	result __real_##name(A); \
	result __wrap_##name(A); \
	result __wrap_##name(A a) \
	{ \
		return fails(#name) ? (result)-1 : __real_##name(a); \
	}

#define CALL2(result, name, A, B) \
	result __real_##name(A, B); \
	result __wrap_##name(A, B); \
	result __wrap_##name(A a, B b) \
	{ \
		return fails(#name) ? (result)-1 : __real_##name(a, b); \
	}

#define CALL3(result, name, A, B, C) \
	result __real_##name(A, B, C); \
	result __wrap_##name(A, B, C); \
	result __wrap_##name(A a, B b, C c) \
	{ \
		return fails(#name) ? (result)-1 : __real_##name(a, b, c); \
	}

#define CALL4(result, name, A, B, C, D) \
	result __real_##name(A, B, C, D); \
	result __wrap_##name(A, B, C, D); \
	result __wrap_##name(A a, B b, C c, D d) \
	{ \
		return fails(#name) ? (result)-1 \
		                    : __real_##name(a, b, c, d); \
	}

#define CALL5(result, name, A, B, C, D, E) \
	result __real_##name(A, B, C, D, E); \
	result __wrap_##name(A, B, C, D, E); \
	result __wrap_##name(A a, B b, C c, D d, E e) \
	{ \
		return fails(#name) ? (result)-1 \
		                    : __real_##name(a, b, c, d, e); \
	}

CALL0(pid_t, fork)
CALL0(pid_t, setsid)
CALL1(int, chdir, const char *)
CALL1(int, chroot, const char *)
CALL1(int, fchdir, int)
CALL1(int, personality, unsigned long)
CALL1(int, uname, struct utsname *)
CALL1(int, unshare, int)
CALL2(int, access, const char *, int)
CALL2(int, chmod, const char *, mode_t)
CALL2(int, dup2, int, int)
CALL2(int, fchmod, int, mode_t)
CALL2(int, fstat, int, struct stat *)
CALL2(int, fstatfs, int, struct statfs *)
CALL2(int, getrlimit, int, struct rlimit *)
CALL2(int, mkdir, const char *, mode_t)
CALL2(int, pipe2, int *, int)
CALL2(int, sethostname, const char *, size_t)
CALL2(int, setns, int, int)
CALL2(int, setrlimit, int, const struct rlimit *)
CALL2(int, stat, const char *, struct stat *)
CALL2(int, statfs, const char *, struct statfs *)
CALL2(int, symlink, const char *, const char *)
CALL2(int, umount2, const char *, int)
CALL3(int, execve, const char *, char *const *, char *const *)
CALL3(int, fchown, int, uid_t, gid_t)
CALL3(int, mkdirat, int, const char *, mode_t)
CALL3(int, mknod, const char *, mode_t, dev_t)
CALL3(ssize_t, read, int, void *, size_t)
CALL3(ssize_t, readlink, const char *, char *, size_t)
CALL3(ssize_t, sendmsg, int, const struct msghdr *, int)
CALL3(int, sigaction, int, const struct sigaction *, struct sigaction *)
CALL3(int, sigprocmask, int, const sigset_t *, sigset_t *)
CALL3(int, socket, int, int, int)
CALL3(int, unlinkat, int, const char *, int)
CALL3(pid_t, waitpid, pid_t, int *, int)
CALL3(ssize_t, write, int, const void *, size_t)
CALL3(ssize_t, writev, int, const struct iovec *, int)
typedef int entry(void *);

/* Who shares our descriptors as well makes the group, or, inside, the network;
 * the command is made when that one is gone, and may have its number. */
static struct {
	entry *enter;
	void *context;
} beside;

static int run_beside(void *unused)
{
	(void)unused;
	*(role == INSIDE ? &porter : &aside) = own_pid();
	return beside.enter(beside.context);
}

int __real_clone(entry *, void *, int, void *);
int __wrap_clone(entry *enter, void *stack, int flags, void *context)
{
	if (fails("clone"))
		return -1;
	if (flags & CLONE_VFORK)
		porter = 0;
	if (!(flags & CLONE_FILES) || (flags & CLONE_NEWUSER))
		return __real_clone(enter, stack, flags, context);
	beside.enter = enter;
	beside.context = context;
	return __real_clone(run_beside, stack, flags, NULL);
}
CALL4(int, faccessat, int, const char *, int, int)
CALL4(int, fchmodat, int, const char *, mode_t, int)
CALL4(int, fstatat, int, const char *, struct stat *, int)
CALL4(ssize_t, recv, int, void *, size_t, int)
CALL4(int, renameat, int, const char *, int, const char *)
CALL4(ssize_t, send, int, const void *, size_t, int)
CALL4(int, socketpair, int, int, int, int *)
CALL5(int, fchownat, int, const char *, uid_t, gid_t, int)
CALL5(int, mount, const char *, const char *, const char *, unsigned long,
      const void *)
CALL2(int, __open_2, const char *, int)
CALL3(int, __openat_2, int, const char *, int)

char *__real_getcwd(char *, size_t);
char *__wrap_getcwd(char *ret, size_t size);
char *__wrap_getcwd(char *ret, size_t size)
{
	return fails("getcwd") ? NULL : __real_getcwd(ret, size);
}

/* Those that take what they take: as many words as any of them. */
int __real_open(const char *, int, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
{
	return fails("open") ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int, const char *, int, ...);
int __wrap_openat(int fd, const char *path, int flags, mode_t mode);
int __wrap_openat(int fd, const char *path, int flags, mode_t mode)
{
	return fails("openat") ? -1 : __real_openat(fd, path, flags, mode);
}

int __real_fcntl(int, int, ...);
int __wrap_fcntl(int fd, int command, long arg);
int __wrap_fcntl(int fd, int command, long arg)
{
	return fails("fcntl") ? -1 : __real_fcntl(fd, command, arg);
}

int __real_ioctl(int, unsigned long, ...);
int __wrap_ioctl(int fd, unsigned long request, void *arg);
int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	return fails("ioctl") ? -1 : __real_ioctl(fd, request, arg);
}

int __real_prctl(int, ...);
int __wrap_prctl(int option, long a, long b, long c, long d);
int __wrap_prctl(int option, long a, long b, long c, long d)
{
	char name[40];

	snprintf(name, sizeof name, "prctl(%d)", option);
	return fails(name) ? -1 : __real_prctl(option, a, b, c, d);
}

static const struct {
	long number;
	const char *name;
} known[] = {
	{ SYS_capget, "capget" }, { SYS_capset, "capset" },
	{ SYS_clone, "clone" }, { SYS_clone3, "clone3" },
	{ SYS_close_range, "close_range" }, { SYS_fsconfig, "fsconfig" },
	{ SYS_getcpu, "getcpu" }, { SYS_fsmount, "fsmount" }, { SYS_fsopen, "fsopen" },
	{ SYS_landlock_add_rule, "landlock_add_rule" },
	{ SYS_landlock_create_ruleset, "landlock_create_ruleset" },
	{ SYS_landlock_restrict_self, "landlock_restrict_self" },
	{ SYS_mount_setattr, "mount_setattr" },
	{ SYS_move_mount, "move_mount" }, { SYS_open_tree, "open_tree" },
	{ SYS_openat2, "openat2" }, { SYS_pivot_root, "pivot_root" },
	{ SYS_sched_getaffinity, "sched_getaffinity" },
	{ SYS_sched_setaffinity, "sched_setaffinity" },
	{ SYS_sched_getscheduler, "sched_getscheduler" },
	{ SYS_rt_sigaction, "rt_sigaction" },
	{ SYS_rt_sigprocmask, "rt_sigprocmask" },
	{ SYS_seccomp, "seccomp" }, { SYS_setgroups, "setgroups" },
	{ SYS_setresgid, "setresgid" }, { SYS_setresuid, "setresuid" },
};

long __wrap_syscall(long number, long a, long b, long c, long d, long e,
                    long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e,
                    long f)
{
	char name[40];
	long result;

	snprintf(name, sizeof name, "syscall(%ld)", number);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i].number == number)
			snprintf(name, sizeof name, "%s", known[i].name);
	if (fails(name))
		return -1;
	result = __real_syscall(number, a, b, c, d, e, f);
	/* a child of its own memory: the sweeper, or init before it says so */
	if ((number == SYS_clone || number == SYS_clone3) && result == 0)
		role = SWEEPER;
	return result;
}
