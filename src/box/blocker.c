/* blocker.c - see blocker.h. */
#include "box/blocker.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/str.h"
#include "box/groupblock.h"
#include "sys/knob.h"

/* One guess at a cause; true when it is the one. */
typedef bool guess(const struct cx_trial *trial,
                   const struct cx_trial_world *world,
                   const struct cx_trial_outcome *outcome,
                   struct cx_blocker *ret);

#define SAY(ret, ...) snprintf((ret)->what, sizeof (ret)->what, __VA_ARGS__)
#define HELP(ret, ...) \
	snprintf((ret)->remedy, sizeof (ret)->remedy, __VA_ARGS__)

static bool refused(const struct cx_trial_outcome *outcome)
{
	return outcome->sys == EPERM || outcome->sys == EACCES;
}

static bool by_count(const struct cx_trial *trial,
                     const struct cx_trial_world *world,
                     const struct cx_trial_outcome *outcome,
                     struct cx_blocker *ret)
{
	static const char *const kind[] = {
		"user", "mnt", "pid", "ipc", "uts", "net", "cgroup",
	};
	char path[64];

	(void)trial;
	(void)world;
	if (outcome->sys != ENOSPC)
		return false;
	HELP(ret, "as root, outside of any container: sysctl -w "
	     "user.max_user_namespaces=15000, and its like");
	for (size_t i = 0; i < CX_COUNT(kind); i++) {
		snprintf(path, sizeof path,
		         "/proc/sys/user/max_%s_namespaces", kind[i]);
		if (cx_knob_number(AT_FDCWD, path) != 0)
			continue;
		SAY(ret, "the sysctl user.max_%s_namespaces is 0", kind[i]);
		HELP(ret, "as root: sysctl -w user.max_%s_namespaces=15000",
		     kind[i]);
		return true;
	}
	SAY(ret, "no more namespaces: a limit user.max_*_namespaces of this "
	    "user namespace, or of one around it, is reached");
	return true;
}

static bool by_depth(const struct cx_trial *trial,
                     const struct cx_trial_world *world,
                     const struct cx_trial_outcome *outcome,
                     struct cx_blocker *ret)
{
	(void)trial;
	(void)world;
	if (outcome->sys != EUSERS)
		return false;
	SAY(ret, "user namespaces are nested 32 deep here");
	HELP(ret, "run it in fewer containers");
	return true;
}

static bool by_sysctl(const struct cx_trial *trial,
                      const struct cx_trial_world *world,
                      const struct cx_trial_outcome *outcome,
                      struct cx_blocker *ret)
{
	static const struct {
		const char *path, *name;
		int64_t bad, good;
	} known[] = {
		{ "/proc/sys/kernel/unprivileged_userns_clone",
		  "kernel.unprivileged_userns_clone", 0, 1 },
		{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
		  "kernel.apparmor_restrict_unprivileged_userns", 1, 0 },
	};

	(void)trial;
	if (world->privileged || !refused(outcome))
		return false;
	for (size_t i = 0; i < CX_COUNT(known); i++) {
		if (cx_knob_number(AT_FDCWD, known[i].path) != known[i].bad)
			continue;
		SAY(ret, "the sysctl %s is %d", known[i].name,
		    (int)known[i].bad);
		HELP(ret, "as root: sysctl -w %s=%d", known[i].name,
		     (int)known[i].good);
		return true;
	}
	return false;
}

/* The call again, so that the kernel itself would answer something else.
 * 0: it did; else the errno of who stands before it. */
static int ask_harmless(const char *call)
{
	int fd = -1, done = 0, good = 0;

	if (cx_str_same(call, "unshare"))
		done = unshare(0);
	else if (cx_str_starts(call, "mount"))
		done = mount(NULL, "/cx isn't there", NULL, 0, NULL),
		good = ENOENT;
	else if (cx_str_same(call, "setns"))
		done = setns(-1, 0), good = EBADF;
	else if (cx_str_same(call, "seccomp"))
		done = (int)syscall(SYS_seccomp, ~0U, 0U, NULL),
		good = EINVAL;
	else if (cx_str_same(call, "prctl"))
		done = prctl(~0, 0, 0, 0, 0), good = EINVAL;
	else if (cx_str_same(call, "mknod"))
		done = mknod("/cx isn't there/x", S_IFIFO, 0), good = ENOENT;
	else if (cx_str_same(call, "loopback up"))
		done = fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	else if (cx_str_same(call, "netlink"))
		done = fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
	good = done < 0 && errno != good ? errno : 0;
	cx_fd_close_at(&fd);
	return good;
}

static bool has_filter(void)
{
	CX_AUTO_BUF struct cx_buf status = { 0 };
	struct cx_err ignored;

	return cx_fd_load(AT_FDCWD, "/proc/self/status", 1 << 16, &status,
	                  &ignored) == 0 && status.data &&
	       strstr(status.data, "\nSeccomp:\t2");
}

static void say_filter(const struct cx_trial_outcome *outcome,
                       struct cx_blocker *ret)
{
	SAY(ret, "a seccomp filter around this process refuses %s",
	    outcome->call);
	HELP(ret, "start the container with a seccomp profile that allows "
	     "it (docker run --security-opt seccomp=unconfined allows all)");
}

static bool by_filter(const struct cx_trial *trial,
                      const struct cx_trial_world *world,
                      const struct cx_trial_outcome *outcome,
                      struct cx_blocker *ret)
{
	(void)trial;
	(void)world;
	if (outcome->signal != SIGSYS &&
	    (!has_filter() || ask_harmless(outcome->call) != outcome->sys))
		return false;
	say_filter(outcome, ret);
	return true;
}

/* A /proc that has mounts over parts of it lets no other be mounted by who
 * can't see what is below them. */
static bool by_mask(const struct cx_trial *trial,
                    const struct cx_trial_world *world,
                    const struct cx_trial_outcome *outcome,
                    struct cx_blocker *ret)
{
	CX_AUTO_BUF struct cx_buf mounts = { 0 };
	struct cx_err ignored;
	const char *at;

	(void)world;
	if (!refused(outcome) || !cx_str_same(trial->name, "proc") ||
	    cx_fd_load(AT_FDCWD, "/proc/self/mountinfo", 1 << 24, &mounts,
	               &ignored) < 0 || !mounts.data)
		return false;
	at = strstr(mounts.data, " /proc/");
	if (!at)
		return false;
	SAY(ret, "/proc is masked: something is mounted over %.*s",
	    (int)strcspn(at + 1, " \n") & 127, at + 1);
	HELP(ret, "unmount it in this container (docker run --security-opt "
	     "systempaths=unconfined, podman run --security-opt unmask=ALL)");
	return true;
}

static bool by_absence(const struct cx_trial *trial,
                       const struct cx_trial_world *world,
                       const struct cx_trial_outcome *outcome,
                       struct cx_blocker *ret)
{
	(void)world;
	if (outcome->sys != ENODEV)
		return false;
	SAY(ret, "this kernel has no file system %s (or its module isn't "
	    "loaded)", trial->name);
	HELP(ret, "as root: modprobe %s", trial->name);
	return true;
}

static bool by_age(const struct cx_trial *trial,
                   const struct cx_trial_world *world,
                   const struct cx_trial_outcome *outcome,
                   struct cx_blocker *ret)
{
	unsigned major = 0, minor = 0, since = trial->since;
	struct utsname name;

	(void)world;
	if (outcome->sys != ENOSYS && outcome->sys != EOPNOTSUPP)
		return false;
	if (uname(&name) < 0 ||
	    sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return false;
	if (CX_TRIAL_LINUX(major, minor) < since) {
		SAY(ret, "Linux %u.%u is older than %u.%u", major, minor,
		    since >> 8, since & 255);
		HELP(ret, "run Linux %u.%u or later", since >> 8, since & 255);
		return true;
	}
	if (has_filter()) {
		say_filter(outcome, ret);
		return true;
	}
	SAY(ret, "this kernel was built or started without it (%s)",
	    strerror(outcome->sys));
	HELP(ret, "use a kernel that has it");
	return true;
}

/* Without the chain a gateway tier's programs reach the admitted ports alone,
 * and those can't be bound. */
static bool by_tables(const struct cx_trial *trial,
                      const struct cx_trial_world *world,
                      const struct cx_trial_outcome *outcome,
                      struct cx_blocker *ret)
{
	(void)world;
	if (!cx_str_same(outcome->call, "nf_tables") || refused(outcome) ||
	    !cx_str_same(trial->name, "port_redirect"))
		return false;
	SAY(ret, "this kernel has no nf_tables with nat and redirect, or "
	    "their modules aren't loaded (%s): a listener stands at each "
	    "admitted port instead", strerror(outcome->sys));
	HELP(ret, "as root: modprobe -a nf_tables nft_chain_nat nft_redir");
	return true;
}

/* What is left when nothing else explains a refusal. */
static bool by_profile(const struct cx_trial *trial,
                       const struct cx_trial_world *world,
                       const struct cx_trial_outcome *outcome,
                       struct cx_blocker *ret)
{
	char profile[100];

	(void)trial;
	(void)world;
	if (!refused(outcome))
		return false;
	if (has_filter()) {
		say_filter(outcome, ret);
		return true;
	}
	if (cx_knob_read(AT_FDCWD, "/proc/self/attr/current", profile,
	                 sizeof profile) < 0 || !*profile ||
	    cx_str_starts(profile, "unconfined") ||
	    cx_str_same(profile, "kernel"))
		return false;
	SAY(ret, "the security module's profile %s refuses %s", profile,
	    outcome->call);
	HELP(ret, "run it under a profile that allows it (docker run "
	     "--security-opt apparmor=unconfined)");
	return true;
}

/* The kernel makes no user namespace for who stands in a chroot. That is
 * certain where no mount is at "/", and else what is left. */
static bool by_chroot(const struct cx_trial *trial,
                      const struct cx_trial_world *world,
                      const struct cx_trial_outcome *outcome,
                      struct cx_blocker *ret)
{
	CX_AUTO_BUF struct cx_buf mounts = { 0 };
	struct cx_err ignored;

	(void)trial;
	if (world->privileged || !refused(outcome) ||
	    !cx_str_same(outcome->call, "clone") ||
	    cx_fd_load(AT_FDCWD, "/proc/self/mountinfo", 1 << 24, &mounts,
	               &ignored) < 0 || !mounts.data)
		return false;
	if (strstr(mounts.data, " / rw") || strstr(mounts.data, " / ro"))
		SAY(ret, "no sysctl, filter or security profile that can be "
		    "seen refuses it: most likely this process stands in a "
		    "chroot");
	else
		SAY(ret, "this process stands in a chroot, where the kernel "
		    "makes no user namespaces");
	HELP(ret, "enter that folder by pivot_root, as containers do, "
	     "instead of chroot, or run it outside");
	return true;
}

static bool by_group(const struct cx_trial *trial,
                     const struct cx_trial_world *world,
                     const struct cx_trial_outcome *outcome,
                     struct cx_blocker *ret)
{
	(void)world;
	if (trial->need != CX_TRIAL_LIMIT || outcome->signal)
		return false;
	cx_groupblock_find(trial->limit, outcome, ret);
	return true;
}

static bool by_disk(const struct cx_trial *trial,
                    const struct cx_trial_world *world,
                    const struct cx_trial_outcome *outcome,
                    struct cx_blocker *ret)
{
	(void)world;
	if (has_filter() && outcome->sys == ENOSYS)
		return false;
	if (cx_str_same(trial->name, "project_quota")) {
		SAY(ret, "the state folder's file system counts for no "
		    "projects (%s: %s)", outcome->call,
		    strerror(outcome->sys));
		HELP(ret, "put it on xfs or ext4 (tune2fs -O project,quota) "
		     "mounted with prjquota, or see limits.workspace_wall");
		return true;
	}
	if (!cx_str_same(trial->name, "idmapped_mount") ||
	    outcome->sys != EINVAL)
		return false;
	SAY(ret, "the state folder's file system can't be mapped");
	HELP(ret, "put it on ext4, xfs, btrfs or tmpfs; until then commands "
	     "run as host uid 10001");
	return true;
}

void cx_blocker_find(const struct cx_trial *trial,
                     const struct cx_trial_world *world,
                     const struct cx_trial_outcome *outcome,
                     struct cx_blocker *ret)
{
	static guess *const guesses[] = {
		by_group, by_disk, by_count, by_depth, by_mask, by_sysctl,
		by_filter, by_tables, by_absence, by_age, by_profile, by_chroot,
	};

	for (size_t i = 0; i < CX_COUNT(guesses); i++)
		if (guesses[i](trial, world, outcome, ret))
			return;
	SAY(ret, "%s: %s", outcome->call, strerror(outcome->sys));
	HELP(ret, "%s", world->privileged || !refused(outcome)
	     ? "see what the kernel's log says of it"
	     : "run it as root, or outside of this container");
}
