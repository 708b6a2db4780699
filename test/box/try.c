/*
 * try.c - one sandbox without the tool around it, to drive box/ by itself.
 *
 *   try LAYERS WORKSPACE [-c COMMAND | ARGV...]
 *
 * LAYERS are the folders of the layers, top first, joined by commas; the
 * workspace is a folder. TRY_UID is the outer uid, TRY_WALL_MS, TRY_CPU_MS,
 * TRY_CAP, TRY_MEMORY, TRY_PIDS, TRY_GRACE_MS limits, TRY_TRUNCATE=1 the cap's
 * policy, TRY_BEST=1 best effort for all, TRY_TIME=1 prints the set-up time,
 * TRY_PLAN=1 prints the plan, TRY_RUNTIME is an OCI runtime; TRY_PORTAL=take
 * or refuse has a portal opened, whose sockets are kept, or not taken. Prints
 * what a report holds.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "box/box.h"

static uint64_t number(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : fallback;
}

static void set_limits(struct cx_quota *quota)
{
	cx_quota_default(quota);
	quota->wall_ms = number("TRY_WALL_MS", quota->wall_ms);
	quota->cpu_ms = number("TRY_CPU_MS", 0);
	quota->memory_bytes = number("TRY_MEMORY", quota->memory_bytes);
	quota->pids = number("TRY_PIDS", quota->pids);
	quota->grace_ms = number("TRY_GRACE_MS", quota->grace_ms);
	quota->stdout_bytes = number("TRY_CAP", quota->stdout_bytes);
	quota->stderr_bytes = number("TRY_CAP", quota->stderr_bytes);
	if (getenv("TRY_TRUNCATE"))
		quota->on_output_cap = CX_QUOTA_CAP_TRUNCATE;
	for (int i = 0; getenv("TRY_BEST") && i < CX_QUOTA_LIMITS; i++)
		quota->best_effort[i] = true;
}

static void add_layers(char *text, struct cx_box *box)
{
	static const char digest[] = "sha256:e3b0c44298fc1c149afbf4c8996fb924"
		"27ae41e4649b934ca495991b7852b855";
	char *comma;

	do {
		comma = strchr(text, ',');
		if (comma)
			*comma = '\0';
		box->layer[box->layer_count].digest = digest;
		box->layer[box->layer_count++].fd =
			open(text, O_PATH | O_DIRECTORY | O_CLOEXEC);
		text = comma + 1;
	} while (comma);
}

static int catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void show(const struct cx_report *report)
{
	fprintf(stderr, "termination=%s exit=%d signal=%d out=%llu/%zu "
	        "err=%llu/%zu truncated=%d%d gap=%zu wall=%lld cpu=%lld "
	        "mem=%lld oom=%lld pids=%lld hits=%lld tmp=%lld xfsz=%d "
	        "left=%d landlock=%d setup=%lldus\n",
	        cx_termination_text(report->termination), report->exit_code,
	        report->signal, (unsigned long long)report->out.total_bytes,
	        report->out.kept_bytes,
	        (unsigned long long)report->err.total_bytes,
	        report->err.kept_bytes, report->out.truncated,
	        report->err.truncated, report->out.gap_at,
	        (long long)report->wall_ms, (long long)report->cpu_ms,
	        (long long)report->memory_peak_bytes,
	        (long long)report->oom_kills, (long long)report->pids_peak,
	        (long long)report->pids_hits, (long long)report->tmp_peak_kib,
	        report->file_limit_hit, report->leftovers, report->landlock,
	        (long long)report->setup_us);
}

static int print_plan(const struct cx_box *box)
{
	struct cx_plan *plan = cx_mem_new(sizeof *plan);
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err err;
	int status = cx_box_plan(box, plan, &err);

	cx_plan_print(plan, &text);
	cx_fd_write(1, text.data, text.size);
	free(plan);
	if (status < 0)
		fprintf(stderr, "%s: %s\n", cx_err_name(err.code), err.text);
	return status < 0;
}

static int hand_over(void *context, struct cx_portal *portal,
                     struct cx_err *err)
{
	(void)context;
	fprintf(stderr, "portal: %zu sockets%s\n", portal->count,
	        portal->redirected ? ", redirected" : "");
	if (strcmp(getenv("TRY_PORTAL"), "take") != 0)
		return cx_err_set(err, CX_E_EGRESS_REGISTRATION_FAILED, "no");
	portal->count = 0; /* ours from here on */
	return 0;
}

static int run(struct cx_box *box)
{
	CX_AUTO_REPORT struct cx_report report;
	struct cx_err err;

	if (cx_box_run(box, &report, &err) < 0) {
		fprintf(stderr, "fault=%s errno=%d %s: %s\n",
		        cx_step_name(report.fault), report.fault_errno,
		        cx_err_name(err.code), err.text);
		return 125;
	}
	cx_fd_write(1, report.out.kept, report.out.kept_bytes);
	cx_fd_write(2, report.err.kept, report.err.kept_bytes);
	if (!getenv("TRY_QUIET"))
		show(&report);
	return report.exit_code;
}

int main(int argc, char **argv)
{
	struct cx_quota quota;
	CX_AUTO_PROFILE struct cx_profile profile = { 0 };
	struct cx_box box;
	char id[32];

	if (argc < 4)
		return 64;
	set_limits(&quota);
	cx_profile_make(&quota, &profile);
	cx_box_start(&box);
	snprintf(id, sizeof id, "try-%d", (int)getpid());
	box.profile = &profile;
	box.id = id;
	box.outer_uid = (uid_t)number("TRY_UID", 1879048193);
	box.outer_gid = (gid_t)number("TRY_UID", 1879048193);
	add_layers(argv[1], &box);
	box.workspace_fd = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	box.workspace_name = "try";
	if (getenv("TRY_PORTAL"))
		box.portal.hand_over = hand_over;
	if (argc == 5 && strcmp(argv[3], "-c") == 0)
		box.command = argv[4];
	else
		box.argv = argv + 3;
	box.runtime = getenv("TRY_RUNTIME");
	box.void_uid = 1879048194;
	box.cancel_fd = catch_signals();
	return getenv("TRY_PLAN") ? print_plan(&box) : run(&box);
}
