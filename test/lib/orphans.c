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
 * 50 milliseconds, by 50 looks with a pause of one each: on a busy machine a
 * pause is longer, for us as for who has to clean up.
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

enum { LOOKS = 50 };

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

/* Those below pid, and what each of them waits in, as far as we may know. */
static void name(pid_t pid, int depth)
{
	char path[64], list[4096], text[512];
	char *rest = list;
	char *word;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid,
	         (int)pid);
	read_text(path, list, sizeof list);
	while (depth > 0 && (word = strsep(&rest, " ")))
		if (*word) {
			snprintf(path, sizeof path, "/proc/%.20s/stack", word);
			read_text(path, text, sizeof text);
			fprintf(stderr, "orphans: %s of %d is left:\n%s",
			        word, (int)pid, text);
			name((pid_t)strtol(word, NULL, 10), depth - 1);
		}
}

/* Each child that there is; killed, so that no test leaves any. */
static void name_and_kill(void)
{
	char path[64], list[4096];
	char *rest = list;
	char *word;

	name(getpid(), 3);
	snprintf(path, sizeof path, "/proc/self/task/%d/children",
	         (int)getpid());
	read_text(path, list, sizeof list);
	while ((word = strsep(&rest, " ")))
		if (*word)
			kill((pid_t)strtol(word, NULL, 10), SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		continue;
}

/* How many looks it took until no child was left; -1: one is still. */
static int look(void)
{
	for (int i = 0; i < LOOKS; i++) {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			continue;
		if (pid < 0)
			return i;
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
