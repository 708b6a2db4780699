/*
 * sys-cgroup.c - real groups, under a folder of this test's own in each
 * hierarchy; skipped where this user may not make one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/fd.h"
#include "sys/cgroup.h"
#include "sys/knob.h"
#include "sys/usage.h"

struct place {
	struct cx_hierarchy hierarchy;
	struct cx_subtree subtree;
	char name[32];
};

static void forget(struct place *place)
{
	cx_subtree_done(&place->subtree);
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		if (place->hierarchy.fd[tree] >= 0)
			unlinkat(place->hierarchy.fd[tree], place->name,
			         AT_REMOVEDIR);
	cx_hierarchy_done(&place->hierarchy);
}

/* What root's delegation does: the controllers, for what is below. */
static void switch_on(int dir_fd)
{
	cx_knob_write(dir_fd, "cgroup.subtree_control", "+memory +pids +cpu");
}

static bool make_folders(struct place *ret, bool without)
{
	bool made = false;

	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++) {
		int root_fd = ret->hierarchy.fd[tree];

		if (root_fd < 0 || (without && tree == CX_HIERARCHY_UNIFIED))
			continue;
		if (mkdirat(root_fd, ret->name, 0755) < 0)
			return false;
		ret->subtree.fd[tree] = openat(root_fd, ret->name, O_PATH |
		                               O_DIRECTORY | O_CLOEXEC);
		made = true;
	}
	return made;
}

/* without: leave the unified tree out, as on a machine of v1 alone. */
static bool make_place(struct place *ret, bool without)
{
	static int serial;
	int fd;

	memset(ret, 0, sizeof *ret);
	cx_hierarchy_find(&ret->hierarchy);
	fd = ret->hierarchy.fd[CX_HIERARCHY_UNIFIED];
	snprintf(ret->name, sizeof ret->name, "cx-test-%d-%d", (int)getpid(),
	         serial++);
	ret->subtree.v2 = ret->hierarchy.v2;
	ret->subtree.holds = CX_LIMIT_ALL;
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		ret->subtree.fd[tree] = -1;
	if (!make_folders(ret, without)) {
		forget(ret);
		return false;
	}
	if (ret->subtree.v2) {
		switch_on(fd);
		switch_on(ret->subtree.fd[CX_HIERARCHY_UNIFIED]);
	}
	return true;
}

static int64_t pids_now(const struct cx_cgroup *group)
{
	return cx_knob_number(group->fd[group->subtree->v2
		? CX_HIERARCHY_UNIFIED : CX_HIERARCHY_PIDS], "pids.current");
}

static int64_t pids_max(const struct cx_cgroup *group)
{
	return cx_knob_number(group->fd[group->subtree->v2
		? CX_HIERARCHY_UNIFIED : CX_HIERARCHY_PIDS], "pids.max");
}

static void look(const struct cx_cgroup *group, struct cx_usage *ret)
{
	struct cx_usage_files files;

	cx_usage_open(group, &files);
	cx_usage_read(&files, ret);
	cx_usage_done(&files);
}

/* The lock is the launcher's: a child lets go of its copies. */
static void let_go(struct cx_cgroup *group)
{
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		cx_fd_close_at(&group->fd[tree]);
}

/* Forks a child that sits in the group before it goes on. */
static pid_t fork_into(struct cx_cgroup *group)
{
	int fd = cx_cgroup_clone_fd(group);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	if ((fd >= 0 && cx_knob_write(fd, "cgroup.procs", "0") < 0) ||
	    cx_cgroup_enter(group) < 0)
		_exit(99);
	let_go(group);
	return 0;
}

static int wait_for(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void make(const struct place *place, const char *id,
                 const struct cx_cgroup_limits *limits, struct cx_cgroup *ret)
{
	struct cx_err err;

	if (cx_cgroup_make(&place->subtree, id, limits, ret, &err) < 0)
		fail_msg("%s", err.text);
}

static void holds_what_it_is_told(void **state)
{
	const struct cx_cgroup_limits limits = {
		.memory_bytes = 64 << 20, .pids = 7, .cpu_milli = 1500,
	};
	struct place place;
	struct cx_cgroup group;
	struct cx_cgroup twin;
	struct cx_err err;

	(void)state;
	if (!make_place(&place, false))
		skip();
	make(&place, "one", &limits, &group);
	assert_true((group.holds & ~(unsigned)CX_LIMIT_SWAP) ==
	            (CX_LIMIT_ALL & ~(unsigned)CX_LIMIT_SWAP));
	assert_int_equal(place.subtree.v2
		? cx_knob_number(group.fd[CX_HIERARCHY_UNIFIED], "memory.max")
		: cx_knob_number(group.fd[CX_HIERARCHY_MEMORY],
		                 "memory.limit_in_bytes"), 64 << 20);
	assert_int_equal(pids_max(&group), 7);
	assert_true(place.subtree.v2
		? cx_knob_has_word(group.fd[CX_HIERARCHY_UNIFIED], "cpu.max",
		                   "150000")
		: cx_knob_number(group.fd[CX_HIERARCHY_CPU],
		                 "cpu.cfs_quota_us") == 150000);
	assert_int_equal(cx_cgroup_make(&place.subtree, "one", &limits, &twin,
	                                &err), -1);
	assert_int_equal(err.code, CX_E_ISOLATION_UNAVAILABLE);
	/* the failed twin took nothing of the first one's with it */
	assert_int_equal(pids_max(&group), 7);
	assert_int_equal(cx_cgroup_remove(&group, 1000), 0);
	forget(&place);
}

static void refuses_other_names(void **state)
{
	static const char *const bad[] = {
		"", ".", "..", "a/b", "../x", "A", "a.b", "a b", "a\n",
		("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "aaaaa"),
	};
	struct cx_subtree none = { .fd = { -1, -1, -1, -1, -1, -1 } };
	const struct cx_cgroup_limits limits = { 0 };
	struct cx_cgroup group;
	struct cx_err err;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(bad); i++)
		assert_int_equal(cx_cgroup_make(&none, bad[i], &limits, &group,
		                                &err), -1);
	/* and without any hierarchy it is an empty group that holds nothing */
	assert_int_equal(cx_cgroup_make(&none, "a", &limits, &group, &err), 0);
	assert_int_equal(group.holds, 0);
	assert_int_equal(cx_cgroup_clone_fd(&group), -1);
	assert_int_equal(cx_cgroup_enter(&group), 0);
	assert_int_equal(cx_cgroup_kill(&group), -1);
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(cx_cgroup_remove(&group, 0), 0);
}

static void kills_for_memory(void **state)
{
	const struct cx_cgroup_limits limits = { .memory_bytes = 32 << 20 };
	struct place place;
	struct cx_cgroup group;
	struct cx_usage usage;
	pid_t pid;

	(void)state;
	if (!make_place(&place, false))
		skip();
	make(&place, "hog", &limits, &group);
	pid = fork_into(&group);
	if (pid == 0) {
		char *at = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE,
		                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (size_t i = 0; i < 64 << 20; i += 4096)
			at[i] = 1;
		_exit(0);
	}
	assert_int_equal(wait_for(pid), SIGKILL);
	look(&group, &usage);
	assert_int_equal(usage.oom_kills, 1);
	assert_true(usage.memory_peak_bytes > 31 << 20);
	assert_true(usage.memory_peak_bytes <= 32 << 20);
	assert_int_equal(cx_cgroup_remove(&group, 1000), 0);
	forget(&place);
}

static void stops_forks(void **state)
{
	const struct cx_cgroup_limits limits = { .pids = 4 };
	struct place place;
	struct cx_cgroup group;
	struct cx_usage usage;
	pid_t pid;
	int made = 0;

	(void)state;
	if (!make_place(&place, false))
		skip();
	make(&place, "bomb", &limits, &group);
	pid = fork_into(&group);
	if (pid == 0) {
		for (int i = 0; i < 10; i++) {
			pid = fork();
			if (pid == 0)
				for (;;)
					pause();
			made += pid > 0;
		}
		_exit(made);
	}
	assert_int_equal(WEXITSTATUS(wait_for(pid)), 3);
	look(&group, &usage);
	assert_int_equal(usage.pids_hits, 7);
	assert_true(usage.pids_peak == 4 || usage.pids_peak == -1);
	assert_int_equal(cx_cgroup_kill(&group), 0);
	assert_int_equal(cx_cgroup_remove(&group, 1000), 0);
	forget(&place);
}

static void counts_and_holds_cpu(void **state)
{
	const struct cx_cgroup_limits limits = { .cpu_milli = 50 };
	struct place place;
	struct cx_cgroup group;
	struct cx_usage usage;
	int64_t end;
	pid_t pid;

	(void)state;
	if (!make_place(&place, false))
		skip();
	make(&place, "spin", &limits, &group);
	pid = fork_into(&group);
	if (pid == 0) {
		end = cx_clock_mono_us() + 500000;
		while (cx_clock_mono_us() < end)
			;
		_exit(0);
	}
	assert_int_equal(wait_for(pid), 0);
	look(&group, &usage);
	/* a twentieth, which a busy machine leaves it as well, of half a
	 * second, and the slices at both ends in full */
	assert_in_range(usage.cpu_us, 1000, 80000);
	assert_true(cx_usage_throttled_us(&group) > 0);
	assert_int_equal(cx_cgroup_remove(&group, 1000), 0);
	forget(&place);
}

static void kill_all(bool without)
{
	const struct cx_cgroup_limits limits = { .pids = 64 };
	struct place place;
	struct cx_cgroup group;
	pid_t pid;

	if (!make_place(&place, without))
		skip();
	make(&place, "end", &limits, &group);
	assert_int_equal(cx_cgroup_clone_fd(&group) >= 0,
	                 place.subtree.fd[CX_HIERARCHY_UNIFIED] >= 0);
	pid = fork_into(&group);
	if (pid == 0) {
		signal(SIGTERM, SIG_IGN);
		for (int i = 0; i < 20; i++)
			if (fork() == 0)
				break;
		for (;;)
			pause();
	}
	while (pids_now(&group) < 21)
		sched_yield();
	assert_int_equal(cx_cgroup_freeze(&group, true), 0);
	assert_int_equal(cx_cgroup_freeze(&group, false), 0);
	assert_int_equal(cx_cgroup_kill(&group), 0);
	assert_int_equal(wait_for(pid), SIGKILL);
	assert_int_equal(cx_cgroup_remove(&group, 1000), 0);
	forget(&place);
}

static void kills_all(void **state)
{
	(void)state;
	kill_all(false);
}

/* There is no freezer on pure v2; what the kernel kills by is one file. */
static void kills_all_by_the_freezer(void **state)
{
	struct cx_hierarchy all;

	(void)state;
	cx_hierarchy_find(&all);
	cx_hierarchy_done(&all);
	kill_all(!all.v2);
}

static void waits_no_longer_than_told(void **state)
{
	const struct cx_cgroup_limits limits = { .pids = 4 };
	struct place place;
	struct cx_cgroup group;
	int64_t until_us;
	pid_t pid;

	(void)state;
	if (!make_place(&place, false))
		skip();
	make(&place, "held", &limits, &group);
	pid = fork_into(&group);
	if (pid == 0)
		for (;;)
			pause();
	while (pids_now(&group) < 1)
		sched_yield();
	assert_int_equal(cx_cgroup_remove(&group, 5), -1);
	assert_int_equal(errno, EBUSY);
	/* and once the child has let go it is nobody's: whoever sweeps takes
	 * the process too */
	until_us = cx_clock_mono_us() + 5000000;
	while (cx_cgroup_sweep(&place.subtree, "held") == 0 &&
	       cx_clock_mono_us() < until_us)
		sched_yield();
	assert_int_equal(wait_for(pid), SIGKILL);
	forget(&place);
}

/* As if it had been made a minute ago. */
static bool age(const struct place *place, const char *name)
{
	struct timespec times[2];
	bool done = false;

	clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec -= 60;
	times[1] = times[0];
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		if (place->subtree.fd[tree] >= 0)
			done = utimensat(place->subtree.fd[tree], name, times,
			                 0) == 0 || done;
	return done;
}

/* A launcher that dies without a word leaves what the next one removes, and
 * a living one's is left alone. */
static void sweeps_the_dead_alone(void **state)
{
	const struct cx_cgroup_limits limits = { .pids = 4 };
	struct place place;
	struct cx_cgroup alive;
	struct cx_cgroup dead;
	pid_t pid;
	int told[2];
	char byte;

	(void)state;
	if (!make_place(&place, false))
		skip();
	make(&place, "alive", &limits, &alive);
	assert_int_equal(pipe2(told, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		let_go(&alive);
		make(&place, "dead", &limits, &dead);
		(void)!write(told[1], "x", 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(told[0], &byte, 1), 1);
	assert_int_equal(cx_cgroup_sweep(&place.subtree, "dead"), 0);
	kill(pid, SIGKILL);
	wait_for(pid);
	/* it is too young for who doesn't know whose it was */
	assert_int_equal(cx_cgroup_sweep(&place.subtree, NULL), 0);
	assert_true(age(&place, "cx.dead") && age(&place, "cx.alive"));
	assert_true(cx_cgroup_sweep(&place.subtree, NULL) > 0);
	assert_int_equal(cx_cgroup_sweep(&place.subtree, NULL), 0);
	assert_int_equal(cx_cgroup_sweep(&place.subtree, "alive"), 0);
	assert_int_equal(pids_max(&alive), 4);
	assert_int_equal(cx_cgroup_remove(&alive, 1000), 0);
	close(told[0]);
	close(told[1]);
	forget(&place);
}

/* Two sweepers that look all the time, as when many launchers start at once:
 * what is being made is never taken for what was left. */
static void sweepers_take_nothing_young(void **state)
{
	const struct cx_cgroup_limits limits = { .pids = 4 };
	struct place place;
	struct cx_cgroup group;
	pid_t pid[2];

	(void)state;
	if (!make_place(&place, false))
		skip();
	for (int i = 0; i < 2; i++) {
		pid[i] = fork();
		while (pid[i] == 0)
			cx_cgroup_sweep(&place.subtree, "young");
	}
	for (int i = 0; i < 150; i++) {
		make(&place, "young", &limits, &group);
		assert_int_equal(group.holds, CX_LIMIT_PIDS);
		assert_int_equal(pids_max(&group), 4);
		assert_int_equal(cx_cgroup_remove(&group, 1000), 0);
	}
	for (int i = 0; i < 2; i++) {
		kill(pid[i], SIGKILL);
		wait_for(pid[i]);
	}
	forget(&place);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(holds_what_it_is_told),
		cmocka_unit_test(refuses_other_names),
		cmocka_unit_test(kills_for_memory),
		cmocka_unit_test(stops_forks),
		cmocka_unit_test(counts_and_holds_cpu),
		cmocka_unit_test(kills_all),
		cmocka_unit_test(kills_all_by_the_freezer),
		cmocka_unit_test(waits_no_longer_than_told),
		cmocka_unit_test(sweeps_the_dead_alone),
		cmocka_unit_test(sweepers_take_nothing_young),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
