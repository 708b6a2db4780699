/*
 * timer.c - how long several commands take, side by side.
 *
 *   timer COUNT WARM ARM...
 *
 * Each ARM is a file of lines: the file for standard input, the file that
 * standard output is added to, the folder to start in, variables as
 * NAME=VALUE, then one argument a line. CX_TIMER_NS=FILE among the variables
 * is a mount namespace to run in, entered before the clock starts. The arms run in turn, COUNT + WARM rounds, each round beginning with
 * another arm, so that what else the machine does falls on all alike; the
 * first WARM rounds don't count.
 *
 * Time is from before posix_spawn(3) to after wait4(2), by the monotonic
 * clock; both output streams are pipes which are read to their end. For each
 * run one line goes to standard output:
 *
 *   ARM-NUMBER WALL-NS CPU-US STATUS
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { ARMS_MAX = 32, ARGV_MAX = 128, FIRST_ARGUMENT = 3 };

struct arm {
	char *text;
	char *line[ARGV_MAX];
	char *env[ARGV_MAX + 1];
	char **argv;
	int out_fd;
	int ns_fd; /* -1: ours */
};

static const char namespace[] = "CX_TIMER_NS=";

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "timer: %s: %s\n", what, strerror(errno));
	exit(71);
}

static void load(const char *path, struct arm *arm)
{
	FILE *file = fopen(path, "re");
	size_t size = 1 << 20, count = 0;
	char *at;

	arm->text = calloc(1, size);
	if (!file || !arm->text || fread(arm->text, 1, size - 1, file) == 0)
		fail(path);
	fclose(file);
	at = arm->text;
	while (*at && count + 1 < ARGV_MAX) {
		arm->line[count++] = at;
		at = strchrnul(at, '\n');
		if (*at)
			*at++ = '\0';
	}
	arm->argv = &arm->line[FIRST_ARGUMENT];
	arm->ns_fd = -1;
	for (size_t i = 0; *arm->argv && strchr(*arm->argv, '=');
	     arm->argv++) {
		if (strncmp(*arm->argv, namespace, strlen(namespace)) != 0)
			arm->env[i++] = *arm->argv;
		else
			arm->ns_fd = open(*arm->argv + strlen(namespace),
			                  O_RDONLY | O_CLOEXEC);
	}
	if (count <= FIRST_ARGUMENT || !*arm->argv)
		fail(path);
	arm->out_fd = open(arm->line[1], O_WRONLY | O_CREAT | O_APPEND |
	                   O_CLOEXEC, 0600);
	if (arm->out_fd < 0)
		fail(arm->line[1]);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Copies standard output to the arm's file and drops standard error. */
static void drain(const int from[2], int out_fd)
{
	struct pollfd end[2] = { { from[0], POLLIN, 0 },
	                         { from[1], POLLIN, 0 } };
	char block[65536];

	while (end[0].fd >= 0 || end[1].fd >= 0) {
		if (poll(end, 2, -1) < 0 && errno != EINTR)
			fail("poll");
		for (int i = 0; i < 2; i++) {
			ssize_t n;

			if (end[i].fd < 0 || !end[i].revents)
				continue;
			n = read(end[i].fd, block, sizeof block);
			if (n <= 0)
				end[i].fd = -1;
			else if (i == 0 && out_fd >= 0 &&
			         write(out_fd, block, (size_t)n) < 0)
				fail("write");
		}
	}
}

static void enter(int ns_fd)
{
	if (setns(ns_fd, CLONE_NEWNS) < 0)
		fail("enter a mount namespace");
}

static void run(const struct arm *arm, int number, bool counts)
{
	posix_spawn_file_actions_t action;
	int out[2], err[2], status, in;
	struct rusage usage;
	int64_t begin, end;
	pid_t pid;

	in = open(arm->line[0], O_RDONLY | O_CLOEXEC);
	if (in < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		fail(arm->line[0]);
	posix_spawn_file_actions_init(&action);
	posix_spawn_file_actions_adddup2(&action, in, 0);
	posix_spawn_file_actions_adddup2(&action, out[1], 1);
	posix_spawn_file_actions_adddup2(&action, err[1], 2);
	posix_spawn_file_actions_addchdir_np(&action, arm->line[2]);
	begin = now_ns();
	errno = posix_spawn(&pid, arm->argv[0], &action, NULL, arm->argv,
	                    (char *const *)arm->env);
	if (errno)
		fail(arm->argv[0]);
	close(out[1]);
	close(err[1]);
	drain((const int[]){ out[0], err[0] }, counts ? arm->out_fd : -1);
	if (wait4(pid, &status, 0, &usage) < 0)
		fail("wait4");
	end = now_ns();
	posix_spawn_file_actions_destroy(&action);
	close(in);
	close(out[0]);
	close(err[0]);
	if (counts)
		printf("%d %lld %lld %d\n", number, (long long)(end - begin),
		       (long long)(usage.ru_utime.tv_sec +
		                   usage.ru_stime.tv_sec) * 1000000 +
		       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec,
		       WIFEXITED(status) ? WEXITSTATUS(status)
		                         : 128 + WTERMSIG(status));
}

int main(int argc, char **argv)
{
	static struct arm arm[ARMS_MAX];
	long count, warm;
	int arms = argc - 3;
	int home = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);

	if (arms < 1 || arms > ARMS_MAX)
		return 64;
	count = strtol(argv[1], NULL, 10);
	warm = strtol(argv[2], NULL, 10);
	for (int i = 0; i < arms; i++)
		load(argv[i + 3], &arm[i]);
	for (long round = 0; round < warm + count; round++)
		for (int i = 0; i < arms; i++) {
			int number = (int)((round + i) % arms);

			if (arm[number].ns_fd >= 0)
				enter(arm[number].ns_fd);
			run(&arm[number], number, round >= warm);
			if (arm[number].ns_fd >= 0)
				enter(home);
		}
	return fflush(stdout) == 0 ? 0 : 74;
}
