/*
 * channel.c - can two processes signal to each other?
 *
 *	channel send|receive NAME START_MS
 *	channel list
 *
 * The sender holds each bit of a pattern for one slot of time, the receiver
 * looks in the middle of each slot and prints what it saw, one digit a slot.
 * Both agree on the time of day only, which every sandbox may read. In one
 * sandbox the pattern comes over by the channels that work inside; between
 * two sandboxes not one may carry it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>

enum { SLOTS = 24, SLOT_MS = 30, PORT = 47123, FILES = 700 };

static const char pattern[SLOTS + 1] = "101100111000101101001110";
static int held = -1;
static volatile sig_atomic_t signalled;

/* A file of the base that every sandbox over it sees. */
static const char *shared(void)
{
	return access("/bin/busybox", F_OK) == 0 ? "/bin/busybox" : "/bin/sh";
}

static int shared_fd(void)
{
	if (held < 0)
		held = open(shared(), O_RDONLY | O_CLOEXEC);
	return held;
}

static void send_flock(bool bit)
{
	flock(shared_fd(), bit ? LOCK_EX : LOCK_UN);
}

static bool see_flock(void)
{
	if (flock(shared_fd(), LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(shared_fd(), LOCK_UN);
	return false;
}

static void send_ofd(bool bit)
{
	struct flock lock = { .l_type = bit ? F_RDLCK : F_UNLCK };

	fcntl(shared_fd(), F_OFD_SETLK, &lock);
}

static bool see_ofd(void)
{
	struct flock lock = { .l_type = F_WRLCK };

	return fcntl(shared_fd(), F_OFD_GETLK, &lock) == 0 &&
	       lock.l_type != F_UNLCK;
}

static void send_lease(bool bit)
{
	if (bit)
		shared_fd();
	else if (held >= 0) {
		close(held);
		held = -1;
	}
}

static bool see_lease(void)
{
	int fd = open(shared(), O_RDONLY | O_CLOEXEC);
	bool seen = fcntl(fd, F_SETLEASE, F_WRLCK) < 0 && errno == EAGAIN;

	close(fd);
	return seen;
}

/* One opening of the file is what the watchers can hear. */
static void send_opening(bool bit)
{
	if (bit)
		close(open(shared(), O_RDONLY | O_CLOEXEC));
}

static bool see_inotify(void)
{
	char event[4096];

	if (held < 0) {
		held = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
		inotify_add_watch(held, shared(), IN_OPEN);
	}
	return read(held, event, sizeof event) > 0;
}

static bool see_fanotify(void)
{
	char event[4096];

	if (held < 0) {
		held = (int)syscall(SYS_fanotify_init, 0x202, 0);
		syscall(SYS_fanotify_mark, held, 1, (uint64_t)0x20, AT_FDCWD,
		        shared());
	}
	return read(held, event, sizeof event) > 0;
}

static void heard(int number)
{
	(void)number;
	signalled = 1;
}

static void send_dnotify(bool bit)
{
	char byte;
	int fd = bit ? open(shared(), O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0 && read(fd, &byte, 1) == 1)
		close(fd);
}

static bool see_dnotify(void)
{
	bool seen = signalled;

	if (held < 0) {
		signal(SIGIO, heard);
		held = open("/bin", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	signalled = 0;
	fcntl(held, F_NOTIFY, DN_ACCESS | DN_MULTISHOT);
	return seen;
}

static void send_shm(bool bit)
{
	if (bit)
		close(open("/dev/shm/cx-channel", O_CREAT | O_RDWR, 0600));
	else
		unlink("/dev/shm/cx-channel");
}

static bool see_shm(void)
{
	return access("/dev/shm/cx-channel", F_OK) == 0;
}

static void send_sysv(bool bit)
{
	int id = shmget(47123, 4096, bit ? IPC_CREAT | 0600 : 0);

	if (!bit && id >= 0)
		shmctl(id, IPC_RMID, NULL);
}

static bool see_sysv(void)
{
	return shmget(47123, 0, 0) >= 0;
}

static void send_queue(bool bit)
{
	if (bit)
		close((int)syscall(SYS_mq_open, "cx-channel",
		                   O_CREAT | O_RDWR, 0600, NULL));
	else
		syscall(SYS_mq_unlink, "cx-channel");
}

static bool see_queue(void)
{
	long fd = syscall(SYS_mq_open, "cx-channel", O_RDONLY, 0, NULL);

	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

/* A listener of the family, there or not there. */
static void listening(bool bit, int family, const void *address,
                      socklen_t size)
{
	int yes = 1;

	if (held >= 0)
		close(held);
	held = -1;
	if (!bit)
		return;
	held = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(held, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (bind(held, address, size) == 0)
		listen(held, 8);
}

static bool connects(int family, const void *address, socklen_t size)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool seen = connect(fd, address, size) == 0 || errno == EINPROGRESS;

	if (seen) {
		int error = 0;
		socklen_t length = sizeof error;

		usleep(1000);
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
		seen = error == 0;
	}
	close(fd);
	return seen;
}

static const struct sockaddr_un abstract = {
	.sun_family = AF_UNIX, .sun_path = "\0cx-channel" };
static const struct sockaddr_in loop = {
	.sin_family = AF_INET, .sin_port = PORT, .sin_addr = { 0x0100007f } };
static const struct sockaddr_vm vsock = {
	.svm_family = AF_VSOCK, .svm_port = PORT, .svm_cid = 1 };

static void send_abstract(bool bit)
{
	listening(bit, AF_UNIX, &abstract, sizeof abstract);
}

static bool see_abstract(void)
{
	return connects(AF_UNIX, &abstract, sizeof abstract);
}

static void send_loopback(bool bit)
{
	listening(bit, AF_INET, &loop, sizeof loop);
}

static bool see_loopback(void)
{
	return connects(AF_INET, &loop, sizeof loop);
}

static void send_vsock(bool bit)
{
	listening(bit, AF_VSOCK, &vsock, sizeof vsock);
}

static bool see_vsock(void)
{
	return connects(AF_VSOCK, &vsock, sizeof vsock);
}

enum { USER_KEYRING = -4, KEYCTL_SEARCH = 10, KEYCTL_UNLINK = 9 };

static void send_keyring(bool bit)
{
	long key = syscall(SYS_add_key, "user", "cx-channel", "x", 1,
	                   USER_KEYRING);

	if (!bit)
		syscall(SYS_keyctl, KEYCTL_UNLINK, key, USER_KEYRING);
}

static bool see_keyring(void)
{
	return syscall(SYS_keyctl, KEYCTL_SEARCH, USER_KEYRING, "user",
	               "cx-channel", 0) >= 0;
}

static void send_proc(bool bit)
{
	prctl(PR_SET_NAME, bit ? "cx-channel-1" : "cx-channel-0");
}

static bool see_proc(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool seen = false;

	while (proc && !seen && (entry = readdir(proc))) {
		char path[300], name[32] = "";
		int fd;

		snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read(fd, name, sizeof name - 1) > 0)
			seen = strncmp(name, "cx-channel-1", 12) == 0;
		close(fd);
	}
	if (proc)
		closedir(proc);
	return seen;
}

/* How many files are open on the whole machine, when somebody says so. */
static void send_counter(bool bit)
{
	static int fd[FILES];

	for (int i = 0; i < FILES; i++) {
		if (bit && fd[i] <= 0)
			fd[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (!bit && fd[i] > 0) {
			close(fd[i]);
			fd[i] = 0;
		}
	}
}

static bool see_counter(void)
{
	static long least;
	long now = 0;
	FILE *file = fopen("/proc/sys/fs/file-nr", "re");

	if (!file)
		return false;
	if (fscanf(file, "%ld", &now) != 1)
		now = 0;
	fclose(file);
	if (least == 0 || now < least)
		least = now;
	return now - least > FILES / 2;
}

/* The lock table of all. */
static void send_locks(bool bit)
{
	send_flock(bit);
}

static bool see_locks(void)
{
	char line[512];
	bool seen = false;
	FILE *file = fopen("/proc/locks", "re");

	while (file && fgets(line, sizeof line, file))
		seen |= strstr(line, "FLOCK") && strstr(line, "WRITE");
	if (file)
		fclose(file);
	return seen;
}

/* A group beside one's own, and how many there are on the machine. */
static void send_group(bool bit)
{
	static const char *const name[] = {
		"/sys/fs/cgroup/cx-channel", "/sys/fs/cgroup/pids/cx-channel",
		"/sys/fs/cgroup/memory/cx-channel",
		"/sys/fs/cgroup/unified/cx-channel",
	};

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (bit)
			mkdir(name[i], 0700);
		else
			rmdir(name[i]);
}

static bool see_group(void)
{
	static long least = -1;
	char line[256];
	long count = 0, n;
	FILE *file = fopen("/proc/cgroups", "re");

	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "%*s %*d %ld", &n) == 1)
			count += n;
	if (file)
		fclose(file);
	if (least < 0 || count < least)
		least = count;
	return count > least ||
	       access("/sys/fs/cgroup/pids/cx-channel", F_OK) == 0;
}

static const struct {
	const char *name;
	void (*send)(bool bit);
	bool (*see)(void);
} channel[] = {
	{ "flock", send_flock, see_flock },
	{ "ofd-lock", send_ofd, see_ofd },
	{ "lease", send_lease, see_lease },
	{ "inotify", send_opening, see_inotify },
	{ "fanotify", send_opening, see_fanotify },
	{ "dnotify", send_dnotify, see_dnotify },
	{ "dev-shm", send_shm, see_shm },
	{ "sysv-ipc", send_sysv, see_sysv },
	{ "posix-queue", send_queue, see_queue },
	{ "abstract-socket", send_abstract, see_abstract },
	{ "vsock", send_vsock, see_vsock },
	{ "keyring", send_keyring, see_keyring },
	{ "loopback", send_loopback, see_loopback },
	{ "proc-names", send_proc, see_proc },
	{ "proc-file-nr", send_counter, see_counter },
	{ "proc-locks", send_locks, see_locks },
	{ "cgroup-names", send_group, see_group },
};

static void sleep_until(int64_t ms)
{
	struct timespec when = { .tv_sec = ms / 1000,
	                         .tv_nsec = ms % 1000 * 1000000 };

	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &when, NULL))
		continue;
}

static void run(size_t index, bool sender, int64_t start_ms)
{
	char seen[SLOTS + 1] = "";

	if (!sender)
		channel[index].see(); /* watches are set before it begins */
	for (int i = 0; i < SLOTS; i++) {
		if (sender) {
			sleep_until(start_ms + i * SLOT_MS);
			channel[index].send(pattern[i] == '1');
		} else {
			sleep_until(start_ms + i * SLOT_MS + SLOT_MS / 2);
			seen[i] = channel[index].see() ? '1' : '0';
		}
	}
	if (sender)
		sleep_until(start_ms + SLOTS * SLOT_MS);
	puts(sender ? pattern : seen);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "list") == 0) {
		for (size_t i = 0; i < sizeof channel / sizeof *channel; i++)
			puts(channel[i].name);
		return 0;
	}
	for (size_t i = 0; argc == 4 && i < sizeof channel / sizeof *channel;
	     i++)
		if (strcmp(channel[i].name, argv[2]) == 0) {
			run(i, strcmp(argv[1], "send") == 0,
			    strtoll(argv[3], NULL, 10));
			return 0;
		}
	fprintf(stderr, "channel send|receive NAME START_MS\n");
	return 64;
}
