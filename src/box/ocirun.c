/* ocirun.c - see ocirun.h. */
#include "box/ocirun.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "box/control.h"
#include "box/fault.h"
#include "box/finish.h"
#include "box/keeper.h"
#include "box/ocispec.h"
#include "box/passage.h"
#include "box/runtime.h"
#include "box/stage.h"
#include "box/verdict.h"
#include "box/watch.h"
#include "sys/knob.h"
#include "sys/usage.h"

struct oci {
	struct cx_outside outside;
	struct cx_plan plan;
	struct cx_keeper keeper;
	bool planned;        /* outside is to be undone */
	char *path;          /* of the runtime's program; owned */
	struct cx_buf config;
};

/* What init does natively and the runtime does here. */
static bool is_theirs(enum cx_step step)
{
	return step == CX_STEP_CLOSE || step == CX_STEP_ENTER_CGROUP ||
	       step == CX_STEP_CLONE;
}

/* The native plan in the order in which it is done here. */
static void reorder(const struct cx_plan *native, struct cx_plan *ret)
{
	ret->count = 0;
	for (size_t i = 0; i < native->count; i++) {
		const struct cx_plan_item *item = &native->item[i];

		if (is_theirs(item->step))
			continue;
		/* everything up to here is built, the rest is the runtime's */
		if (item->step == CX_STEP_NETWORK)
			for (enum cx_step step = CX_STEP_BUNDLE;
			     step <= CX_STEP_FINISH; step++)
				ret->item[ret->count++] =
					(struct cx_plan_item){ .step = step };
		ret->item[ret->count++] = *item;
	}
}

/* Plans natively, which asserts B5 and asks for the limits. */
static int plan(const struct cx_box *box, struct oci *ret, struct cx_err *err)
{
	ret->keeper = (struct cx_keeper)CX_KEEPER_NONE;
	ret->planned = true;
	if (cx_outside_plan(box, &ret->outside, err) < 0)
		return -1;
	/* the runtime puts it into its group */
	ret->outside.world.born_in = true;
	reorder(&ret->outside.plan, &ret->plan);
	return cx_plan_check(&ret->plan, err);
}

/* Reaped before the runtime deletes its container. */
static void put_down(struct cx_outside *outside)
{
	int status;

	if (outside->init_pid == 0)
		return;
	kill(outside->init_pid, SIGKILL);
	while (waitpid(outside->init_pid, &status, 0) < 0 && errno == EINTR)
		;
	outside->init_pid = 0;
}

static void done(struct oci *oci)
{
	put_down(&oci->outside);
	cx_keeper_dismiss(&oci->keeper);
	if (oci->planned)
		cx_outside_done(&oci->outside);
	cx_buf_done(&oci->config);
	free(oci->path);
	free(oci);
}

int cx_ocirun_plan(const struct cx_box *box, struct cx_plan *ret,
                   struct cx_err *err)
{
	struct oci *oci = cx_mem_new(sizeof *oci);
	int status = plan(box, oci, err);

	*ret = oci->plan;
	done(oci);
	return status;
}

static int render(const struct cx_ocispec *spec, json_t **ret,
                  struct cx_err *err)
{
	if (cx_runtime_check_texts(spec->box, err) < 0)
		return -1;
	*ret = cx_ocispec_make(spec);
	if (!*ret)
		return cx_err_set(err, CX_E_INTERNAL,
		                  "the profile has no form for a runtime");
	return cx_ocispec_check(*ret, spec->plan, err);
}

static struct cx_ocispec describe(const struct oci *oci, bool hosted)
{
	const struct cx_outside *outside = &oci->outside;
	int memory_fd = outside->grouped ?
	                outside->group.fd[CX_HIERARCHY_MEMORY] : -1;

	return (struct cx_ocispec){
		.box = outside->box,
		.plan = &oci->plan,
		.outer_uid = outside->enter.outer_uid,
		.outer_gid = outside->enter.outer_gid,
		.processes = outside->enter.processes,
		/* the group is pinned by us where there is no such count */
		.swap = !hosted || outside->subtree.v2 ||
		        (memory_fd >= 0 &&
		         faccessat(memory_fd, "memory.memsw.limit_in_bytes",
		                   F_OK, 0) == 0),
		.hosted = hosted,
	};
}

int cx_ocirun_describe(const struct cx_box *box, json_t **ret_config,
                       struct cx_err *err)
{
	struct oci *oci = cx_mem_new(sizeof *oci);
	int status = plan(box, oci, err);
	struct cx_ocispec spec = describe(oci, false);

	spec.outer_uid = box->outer_uid;
	spec.outer_gid = box->outer_gid;
	if (status == 0)
		status = render(&spec, ret_config, err);
	done(oci);
	return status;
}

/* The launcher's own part, as natively: what the plan has of it. */
static enum cx_step make_outside(struct oci *oci, int *ret_errno)
{
	static const enum cx_step ours[] = {
		CX_STEP_USERNS, CX_STEP_VOLUMES, CX_STEP_PIPES, CX_STEP_CGROUP,
	};
	struct cx_plan *todo = &oci->outside.plan;
	size_t count = 0;

	for (size_t i = 0; i < todo->count; i++)
		for (size_t j = 0; j < sizeof ours / sizeof ours[0]; j++)
			if (todo->item[i].step == ours[j])
				todo->item[count++] = todo->item[i];
	todo->count = count;
	return cx_outside_go(&oci->outside, ret_errno);
}

/* Whose number the runtime wrote is our child, since we adopt orphans. */
static int find_init(struct oci *oci)
{
	CX_AUTO_FD int fd = cx_keeper_open(&oci->keeper, CX_STAGE_PID);
	char text[24] = "";
	uint64_t pid = 0;
	int status;

	if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	errno = EINVAL;
	if (!cx_num_parse(text, 2, INT32_MAX, &pid) ||
	    waitpid((pid_t)pid, &status, WNOHANG) != 0)
		return -1;
	oci->outside.init_pid = (pid_t)pid;
	return 0;
}

/* What the making of the container took isn't the command's: time, wall and
 * CPU, and memory where the kernel forgets a peak. */
static void forget_making(struct cx_outside *outside)
{
	int fd = outside->group.fd[CX_HIERARCHY_MEMORY];

	outside->began_us = cx_clock_mono_us();
	if (!outside->grouped)
		return;
	outside->cpu_base_us = cx_usage_cpu_us(&outside->group);
	if (outside->cpu_base_us < 0)
		outside->cpu_base_us = 0;
	if (fd >= 0)
		cx_knob_write(fd, "memory.max_usage_in_bytes", "0");
}

/* first's word, and the command's standard input. */
static int send_word(const struct cx_outside *outside)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with = { .bytes = { 0 } };
	char word = CX_CONTROL_GO;
	struct iovec part = { &word, 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (outside->box->stdin_fd >= 0) {
		with.head.cmsg_level = SOL_SOCKET;
		with.head.cmsg_type = SCM_RIGHTS;
		with.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&with.head), &outside->box->stdin_fd,
		       sizeof(int));
		message.msg_control = &with;
		message.msg_controllen = sizeof with;
	}
	return sendmsg(outside->control_fd, &message, MSG_NOSIGNAL) == 1 ? 0
	                                                                 : -1;
}

static void close_inner_ends(struct cx_enter *enter)
{
	cx_fd_close_at(&enter->control_fd);
	cx_fd_close_at(&enter->stream_fd[0]);
	cx_fd_close_at(&enter->stream_fd[1]);
	cx_fd_close_at(&enter->workspace_tree_fd);
	cx_fd_close_at(&enter->skills_tree_fd);
}

static int write_config(struct oci *oci, struct cx_err *err)
{
	const struct cx_ocispec spec = describe(oci, true);
	CX_AUTO_JSON json_t *config = NULL;

	if (render(&spec, &config, err) < 0)
		return -1;
	cx_json_write(config, &oci->config);
	return 0;
}

static enum cx_step finish(struct oci *oci, int *ret_errno,
                           struct cx_err *err)
{
	struct cx_outside *outside = &oci->outside;
	enum cx_step step;

	if (cx_finish_make(outside->init_pid, &oci->plan, &outside->enter,
	                   &step, ret_errno) < 0)
		return step;
	cx_fd_close_at(&outside->enter.portal_fd);
	step = cx_passage_hand_over(outside, err);
	if (step != CX_STEP_NONE)
		return step;
	forget_making(outside);
	if (send_word(outside) == 0)
		return CX_STEP_NONE;
	*ret_errno = errno;
	return CX_STEP_FINISH;
}

static enum cx_step start(struct oci *oci, int *ret_errno, struct cx_err *err)
{
	const struct cx_stage stage = {
		&oci->outside, &oci->plan, &oci->keeper, oci->path,
		oci->config.data, oci->config.size,
	};
	enum cx_step step = cx_stage_run(&stage, ret_errno);

	cx_fd_close_at(&oci->keeper.busy_fd);
	close_inner_ends(&oci->outside.enter);
	if (step != CX_STEP_NONE)
		return step;
	if (find_init(oci) < 0) {
		*ret_errno = errno;
		return CX_STEP_RUNTIME;
	}
	return finish(oci, ret_errno, err);
}

static int go(struct oci *oci, struct cx_report *ret, struct cx_err *err)
{
	struct cx_outside *outside = &oci->outside;

	if (cx_keeper_start(&outside->subtree, outside->box, oci->path,
	                    &oci->keeper) < 0) {
		ret->fault = CX_STEP_SWEEPER;
		ret->fault_errno = errno;
		return -1;
	}
	ret->fault = make_outside(oci, &ret->fault_errno);
	if (ret->fault != CX_STEP_NONE)
		return -1;
	if (write_config(oci, err) < 0) {
		ret->fault = CX_STEP_BUNDLE;
		return -1;
	}
	ret->fault = start(oci, &ret->fault_errno, err);
	if (ret->fault != CX_STEP_NONE)
		return -1;
	cx_verdict_prepare(outside);
	cx_watch_run(outside, ret);
	cx_verdict_fill(outside, ret);
	return ret->fault == CX_STEP_NONE ? 0 : -1;
}

static int run(struct oci *oci, struct cx_report *ret, struct cx_err *err)
{
	err->code = CX_E_NONE;
	if (go(oci, ret, err) == 0)
		return 0;
	if ((ret->fault == CX_STEP_BUNDLE || ret->fault == CX_STEP_PORTAL) &&
	    err->code != CX_E_NONE)
		return -1;
	if (ret->fault == CX_STEP_RUNTIME && ret->fault_errno == 0)
		return cx_runtime_explain(oci->path,
		                          oci->outside.stream_fd[1], err);
	return cx_fault_explain(ret->fault, ret->fault_errno, err);
}

int cx_ocirun_run(const struct cx_box *box, struct cx_report *ret,
                  struct cx_err *err)
{
	struct oci *oci = cx_mem_new(sizeof *oci);
	int adopts = 0;
	int status = cx_runtime_find(box->runtime, &oci->path, err);

	*ret = (struct cx_report){ .fault = CX_STEP_NONE };
	prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	oci->keeper = (struct cx_keeper)CX_KEEPER_NONE;
	if (status == 0)
		status = plan(box, oci, err);
	if (status == 0)
		status = run(oci, ret, err);
	done(oci);
	prctl(PR_SET_CHILD_SUBREAPER, adopts, 0, 0, 0);
	return status;
}
