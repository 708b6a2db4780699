/* enclosure.c - see enclosure.h. */
#include "gateway/enclosure.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/promise.h"
#include "sys/caps.h"
#include "sys/confine.h"
#include "sys/landlock.h"
#include "sys/seccomp.h"

/* The path without its last part. */
static void folder_of(const char *path, char ret[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	int length = slash ? (int)(slash - path) : 0;

	if (length > 0)
		snprintf(ret, PATH_MAX, "%.*s", length, path);
	else
		snprintf(ret, PATH_MAX, "%s", slash ? "/" : ".");
}

/* The one folder, which stays open: by its descriptor. */
static int fence_writer(int folder_fd)
{
	char path[32];
	const struct cx_landlock_grant grant = { path, CX_LANDLOCK_WRITE,
		                                 false };

	snprintf(path, sizeof path, "/proc/self/fd/%d", folder_fd);
	return cx_landlock_enter(&grant, 1) < 0 ? -1 : 0;
}

static int fence(const struct cx_enclosure_wish *wish)
{
	char door[32] = "";
	char config[PATH_MAX];
	struct cx_landlock_grant grant[4] = {
		{ "/etc/resolv.conf", CX_LANDLOCK_READ, true },
		{ "/etc/cx", CX_LANDLOCK_READ, true },
	};
	size_t count = 2;

	if (wish->log)
		return fence_writer(wish->log->folder_fd);
	if (wish->config) {
		folder_of(wish->config, config);
		grant[count++] = (struct cx_landlock_grant){
			config, CX_LANDLOCK_READ, true };
	}
	if (wish->door_fd >= 0) {
		snprintf(door, sizeof door, "/proc/self/fd/%d", wish->door_fd);
		grant[count++] = (struct cx_landlock_grant){
			door, CX_LANDLOCK_WRITE, false };
	}
	return cx_landlock_enter(grant, count) < 0 ? -1 : 0;
}

int cx_enclosure_enter(const struct cx_enclosure_wish *wish,
                       struct cx_err *err)
{
	/* the folder's path is looked up by /proc, which is closed to us once
	 * we aren't dumpable: first the fence, then the rest */
	if (cx_caps_no_new_privs() < 0 ||
	    (CX_CONFINE_WHOLE && fence(wish) < 0))
		return cx_err_sys(err, CX_E_ISOLATION_UNAVAILABLE,
		                  "shut the gateway off from files");
	if (cx_confine_memory() < 0)
		return cx_err_sys(err, CX_E_ISOLATION_UNAVAILABLE,
		                  "keep the gateway's memory to itself");
	if (cx_caps_resign() < 0)
		return cx_err_sys(err, CX_E_ISOLATION_UNAVAILABLE,
		                  "give up the gateway's capabilities");
	if (CX_CONFINE_WHOLE && !CX_PROMISE(gateway_is_cordoned,
	                cx_seccomp_load(wish->log ? CX_SECCOMP_SCRIBE
	                                : CX_SECCOMP_GATEWAY) == 0))
		return cx_err_sys(err, CX_E_ISOLATION_UNAVAILABLE,
		                  "filter the gateway's system calls");
	return 0;
}

/* Each would get somewhere in a process that is free, or does nothing; where
 * it is refused errno is one of these. */
static bool is_refusal(void)
{
	return errno == EPERM || errno == EACCES || errno == ENOSYS ||
	       errno == EAFNOSUPPORT;
}

static bool refuses_file(const char *path, int flags)
{
	CX_AUTO_FD int fd = open(path, flags | O_CLOEXEC, 0600);

	return fd < 0 && is_refusal();
}

static bool refuses_socket(int domain, int type)
{
	CX_AUTO_FD int fd = socket(domain, type | SOCK_CLOEXEC, 0);

	return fd < 0 && is_refusal();
}

static bool refuses(long number, long a, long b, long c)
{
	return syscall(number, a, b, c, 0, 0) < 0 && is_refusal();
}

static bool refuses_listener(void)
{
	CX_AUTO_FD int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && listen(fd, 1) < 0 && is_refusal();
}

static bool put(json_t *into, const char *name, bool holds)
{
	json_object_set_new(into, name, json_boolean(holds));
	return holds;
}

static bool try_all(json_t *into, bool fenced)
{
	const long code = (long)(PROT_READ | PROT_EXEC);
	bool holds = true;

	holds &= put(into, "execute", refuses(SYS_execve, 0, 0, 0) &&
	             refuses(SYS_execveat, -1, 0, 0));
	/* CLONE_SIGHAND alone makes no process anywhere */
	holds &= put(into, "fork", refuses(SYS_clone, 0x800, 0, 0));
	holds &= put(into, "kill", refuses(SYS_kill, getpid(), 0, 0));
	holds &= put(into, "trace", refuses(SYS_ptrace, 16, 0, 0) &&
	             refuses(SYS_process_vm_readv, 0, 0, 0));
	holds &= put(into, "mount", refuses(SYS_mount, 0, 0, 0) &&
	             refuses(SYS_unshare, 0, 0, 0));
	holds &= put(into, "bpf", refuses(SYS_bpf, -1, 0, 0));
	holds &= put(into, "listen", refuses_listener());
	holds &= put(into, "unixSocket", refuses_socket(AF_UNIX, SOCK_STREAM));
	holds &= put(into, "rawSocket", refuses_socket(AF_INET, SOCK_RAW) &&
	             refuses_socket(AF_PACKET, SOCK_RAW));
	holds &= put(into, "executableMemory",
	             refuses(SYS_mprotect, 0, 0, code));
	holds &= put(into, "writeFile",
	             refuses_file("/dev/null", O_WRONLY) &&
	             refuses_file("/tmp", O_RDWR | O_TMPFILE));
	/* the fence alone keeps from reading: no part of what must hold where
	 * the kernel has none */
	return (put(into, "readFile", refuses_file("/etc/passwd", O_RDONLY) &&
	            refuses_file("/", O_RDONLY | O_DIRECTORY)) || !fenced) &&
	       holds;
}

json_t *cx_enclosure_check(bool *ret_holds)
{
	json_t *all = json_object();
	json_t *tried = json_object();
	int abi = cx_landlock_abi();

	*ret_holds = true;
	*ret_holds &= put(all, "capabilitiesDropped", cx_caps_resigned());
	*ret_holds &= put(all, "noNewPrivs",
	                  prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	*ret_holds &= put(all, "undumpable",
	                  prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
	*ret_holds &= put(all, "seccomp",
	                  prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2);
	json_object_set_new(all, "landlock", json_integer(abi));
	*ret_holds &= try_all(tried, abi >= 2);
	json_object_set_new(all, "refused", tried);
	return all;
}
