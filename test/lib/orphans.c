/*
 * orphans.c - runs a command as its whole tree's last resort, and says whether
 * anything of it is left.
 *
 *	orphans [-k FROM:TO] [-o FILE] PROGRAM [ARGUMENT...]
 *
 * -k kills the command, SIGKILL, a random number of microseconds from FROM to
 * TO after its start. Whatever of its processes outlives it becomes a child of
 * this one (PR_SET_CHILD_SUBREAPER; an init takes its namespace with it), so
 * that nothing is left exactly when there is no child. That is looked at for
 * 50 milliseconds, by 50 looks with a pause of one each. A look doesn't count
 * while one of them waits for the machine (state R or D: a CPU, a disk, the
 * kernel), for two seconds at most: on a busy machine that is nothing of ours.
 *
 * A line goes to FILE: the command's status as a shell has it, how many looks
 * it took, the instant of the kill (0: none). The exit status is 0, or 1 when
 * something was left, which is named and killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>

enum { LOOKS = 50, WAITS = 2000, DEPTH = 3 };

static void pause_us(long us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	while (nanosleep(&time, &time) < 0 && errno == EINTR)
		continue;
}

/* An instant of FROM:TO, at least 1; 0 when it can't be read. */
static long instant(const char *text)
{
	char *end;
	long from = strtol(text, &end, 10);
	long to = *end == ':' ? strtol(end + 1, &end, 10) : -1;
	uint32_t random;

	if (*end || from < 0 || to < from ||
	    getrandom(&random, sizeof random, 0) != sizeof random)
		return 0;
	return 1 + from + (long)(random % (uint32_t)(to - from + 1));
}

static void read_text(const char *path, char *ret, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	ret[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

struct below {
	pid_t pid[64];
	size_t count;
};

/* Those below pid. */
static void list_below(pid_t pid, int depth, struct below *ret)
{
	char path[64], list[4096];
	char *rest = list;
	char *word;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid,
	         (int)pid);
	read_text(path, list, sizeof list);
	while (depth > 0 && (word = strsep(&rest, " ")))
		if (*word && ret->count < 64) {
			pid_t child = (pid_t)strtol(word, NULL, 10);

			ret->pid[ret->count++] = child;
			list_below(child, depth - 1, ret);
		}
}

static bool wait_for_machine(void)
{
	struct below all = { .count = 0 };
	char path[64], text[256];

	list_below(getpid(), DEPTH, &all);
	for (size_t i = 0; i < all.count; i++) {
		const char *end;

		snprintf(path, sizeof path, "/proc/%d/stat", (int)all.pid[i]);
		read_text(path, text, sizeof text);
		end = strrchr(text, ')');
		if (end && (end[2] == 'R' || end[2] == 'D'))
			return true;
	}
	return false;
}

/* What each waits in, as far as we may know; killed, so that no test leaves
 * any. */
static void name_and_kill(void)
{
	struct below all = { .count = 0 };
	char path[64], text[512];

	list_below(getpid(), DEPTH, &all);
	for (size_t i = 0; i < all.count; i++) {
		snprintf(path, sizeof path, "/proc/%d/stack", (int)all.pid[i]);
		read_text(path, text, sizeof text);
		fprintf(stderr, "orphans: %d is left:\n%s", (int)all.pid[i],
		        text);
		kill(all.pid[i], SIGKILL);
	}
	while (waitpid(-1, NULL, 0) > 0)
		continue;
}

/* How many looks it took until no child was left; -1: one is still. */
static int look(void)
{
	int waits = 0;

	for (int i = 0; i < LOOKS;) {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			continue;
		if (pid < 0)
			return i;
		if (waits < WAITS && wait_for_machine())
			waits++;
		else
			i++;
		pause_us(1000);
	}
	name_and_kill();
	return -1;
}

int main(int argc, char **argv)
{
	const char *log = NULL;
	long kill_us = 0;
	int status = 0, looks, option;
	pid_t pid;
	FILE *file;

	while ((option = getopt(argc, argv, "+k:o:")) >= 0) {
		if (option == '?')
			return 64;
		if (option == 'o')
			log = optarg;
		else if ((kill_us = instant(optarg)) == 0)
			return 64;
	}
	if (optind == argc || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return 64;
	pid = fork();
	if (pid == 0) {
		execv(argv[optind], argv + optind);
		_exit(127);
	}
	if (kill_us) {
		pause_us(kill_us);
		kill(pid, SIGKILL); /* none of ours, when it has ended */
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	looks = look();
	file = log ? fopen(log, "ae") : NULL;
	if (file) {
		fprintf(file, "%d %d %ld\n", WIFSIGNALED(status) ?
		        128 + WTERMSIG(status) : WEXITSTATUS(status), looks,
		        kill_us);
		fclose(file);
	}
	return looks < 0;
}
