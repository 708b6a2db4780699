/* cx-run.c - the tables of cx-run. */
#include "run/follow.h"
#include "run/hub.h"
#include "run/inventory.h"
#include "run/outline.h"
#include "run/readiness.h"
#include "run/review.h"
#include "run/sketch.h"
#include "run/workspace.h"
#include "tool/batching.h"
#include "tool/keeping.h"
#include "tool/patience.h"
#include "tool/readying.h"
#include "tool/running.h"

static const char *const tiers[] = {
	"none", "allowlist", "default_internet", NULL,
};
/* What completion offers, in words for a shell. */
#define RUNTIMES "echo native; echo crun; echo runc; echo runsc"
#define NAMES "cx-run workspace list 2>/dev/null | " \
	"jq -r \".workspaces[].name // empty\" | sort -u"
#define JOBS "cx-run workspace list 2>/dev/null | " \
	"jq -r \".workspaces[].jobId // empty\" | sort -u"

static const char *const formats[] = { "json", "oci", NULL };

static const struct cx_opt exec_options[] = {
	CX_TEXT(struct cx_running_exec, command, "command", 'c', "TEXT",
	        "Run TEXT by bash -c, in place of the document's run"),
	CX_FILES(struct cx_running_exec, in, "in", 0, "PATH",
	         "Copy PATH into the workspace before; repeat for more"),
	CX_FILES(struct cx_running_exec, out, "out", 0, "PATH",
	         "Copy PATH of the workspace here after; repeat for more"),
	CX_PATH(struct cx_running_exec, input, "stdin", 0, "FILE",
	        "Give FILE to the command as standard input"),
	CX_WORD(struct cx_running_exec, tier, "tier", 0, "TIER", tiers,
	        "How far the command may reach"),
	CX_LIST(struct cx_running_exec, hosts, "host", 0, "HOST",
	        "What tier allowlist may reach; repeat for more"),
	CX_TEXT_FROM(struct cx_running_exec, runtime, "runtime", 0, "RUNTIME",
	             RUNTIMES,
	        "Who makes the sandbox: native, crun, runc, runsc or a path"),
	CX_TEXT_FROM(struct cx_running_exec, workspace, "workspace", 0, "NAME",
	             NAMES,
	        "Run in the organization's workspace of that name, which "
	        "stays"),
	CX_FLAG(struct cx_running_exec, dry_run, "dry-run", 0,
	        "Run in a copy of the workspace and list what would change "
	        "in it"),
	CX_PATIENCE_OPTIONS(struct cx_running_exec),
	CX_FLAG(struct cx_running_exec, exit_status, "exit-status", 'e',
	        "Exit with the command's status; so does a command behind -- "
	        "or -c"),
	CX_FLAG(struct cx_running_exec, raw, "raw", 0,
	        "Pass the command's own streams and status on instead of a "
	        "document"),
	CX_FLAG(struct cx_running_exec, follow, "follow", 0,
	        "Write an event for each start and each piece of output as it "
	        "comes, a line each, then the document"),
	CX_FLAG(struct cx_running_exec, keep_carrier, "keep-carrier", 0,
	        "Leave the carrier in the document for a next command"),
	CX_IO_OPTIONS(struct cx_running_exec, io),
};

static const struct cx_opt open_options[] = {
	CX_TEXT(struct cx_running_gate, agent, "agent", 0, "ID",
	        "The agent whose run it is; its posture counts at each "
	        "command"),
	CX_IO_INPUT_OPTIONS(struct cx_running_gate, io),
};

static const struct cx_opt gate_options[] = {
	CX_IO_INPUT_OPTIONS(struct cx_running_gate, io),
};

static const struct cx_opt spec_options[] = {
	CX_TEXT(struct cx_running_spec, command, "command", 'c', "TEXT",
	        "As if exec ran TEXT"),
	CX_WORD(struct cx_running_spec, tier, "tier", 0, "TIER", tiers,
	        "How far the command may reach"),
	CX_WORD(struct cx_running_spec, format, "format", 0, "FORMAT", formats,
	        "json, which is the default, or oci: for an OCI runtime"),
	CX_TEXT_FROM(struct cx_running_spec, runtime, "runtime", 0, "RUNTIME",
	             RUNTIMES,
	        "As if exec were given it"),
	CX_FLAG(struct cx_running_spec, explain, "explain", 0,
	        "Print the steps of the sandbox in their order instead"),
	CX_IO_OPTIONS(struct cx_running_spec, io),
};

#define WORK \
	CX_NUMBER(struct cx_batching_args, jobs, "jobs", 'j', "N", 1, \
	          CX_CREW_MAX, "Run so many at once; by default " \
	          "as many as there are CPUs to use"), \
	CX_FLAG(struct cx_batching_args, unordered, "unordered", 0, \
	        "Write each line when it is ready, in whatever order"), \
	CX_TEXT_FROM(struct cx_batching_args, runtime, "runtime", 0, \
	             "RUNTIME", RUNTIMES, \
	        "Who makes the sandboxes: native, crun, runc, runsc or a path")

static const struct cx_opt batch_options[] = {
	CX_PATH(struct cx_batching_args, file, "file", 'f', "FILE",
	        "Read the documents from FILE instead of standard input"),
	WORK,
};

static const struct cx_opt serve_options[] = {
	CX_PATH(struct cx_batching_args, listen, "listen", 0, "SOCKET",
	        "Listen there instead of at run/serve.sock of the state"),
	CX_NUMBER(struct cx_batching_args, connections, "connections", 0, "N",
	          1, CX_HUB_GUESTS_MAX,
	          "Serve so many connections at once, 64 by default"),
	CX_NUMBER(struct cx_batching_args, patience, "patience", 0, "SECONDS",
	          1, 86400, "Close a connection whose other side is that "
	          "slow, after 30 by default"),
	WORK,
};

#define WHICH \
	CX_TEXT(struct cx_keeping_args, org, "org", 0, "ID", \
	        "The organization"), \
	CX_TEXT(struct cx_keeping_args, run, "run", 0, "ID", \
	        "The run that it belongs to"), \
	CX_TEXT_FROM(struct cx_keeping_args, job, "job", 0, "ID", JOBS, \
	        "The job that it belongs to"), \
	CX_TEXT_FROM(struct cx_keeping_args, workspace, "workspace", 0, \
	             "NAME", NAMES, \
	        "The name that it was given")

static const struct cx_opt list_options[] = {
	CX_TEXT(struct cx_keeping_args, org, "org", 0, "ID",
	        "Only those of this organization"),
};

static const struct cx_opt export_options[] = {
	WHICH,
	CX_PATIENCE_OPTIONS(struct cx_keeping_args),
	CX_PATH(struct cx_keeping_args, file, "output", 'o', "FILE",
	        "Write the archive to FILE and print the list of its files"),
};

static const struct cx_opt import_options[] = {
	WHICH,
	CX_TEXT(struct cx_keeping_args, user, "user", 0, "ID",
	        "Who makes it, when it has a name and isn't there"),
	CX_PATIENCE_OPTIONS(struct cx_keeping_args),
	CX_PATH(struct cx_keeping_args, file, "file", 'f', "FILE",
	        "Read the archive from FILE instead of standard input"),
};

static const struct cx_opt diff_options[] = {
	WHICH,
	CX_FLAG(struct cx_keeping_args, commit, "commit", 0,
	        "Let the workspace become what the dry run left"),
	CX_FLAG(struct cx_keeping_args, discard, "discard", 0,
	        "Forget what the dry run left"),
	CX_PATIENCE_OPTIONS(struct cx_keeping_args),
};

static const struct cx_opt rm_options[] = { WHICH };

static const struct cx_opt gc_options[] = {
	CX_NUMBER(struct cx_keeping_args, unused, "unused", 0, "SECONDS", 1,
	          INT32_MAX, "Also those that weren't used for so long"),
	CX_FLAG(struct cx_keeping_args, named, "named", 0,
	        "Of these, those with a name as well"),
	CX_FLAG(struct cx_keeping_args, dry_run, "dry-run", 0,
	        "Only say what would be removed"),
};

static const struct cx_opt delegate_options[] = {
	CX_NUMBER(struct cx_keeping_delegate, enter, "enter", 0, "PID", 1,
	          INT32_MAX, "Move this process of the user's inside (v2)"),
};

static const struct cx_opt ready_options[] = {
	CX_FLAG(struct cx_readying_args, fresh, "fresh", 0,
	        "Make the round trip now, whatever was found just before"),
	CX_FLAG(struct cx_readying_args, probe, "probe", 0,
	        "Try each thing that a sandbox is made of, and say what "
	        "refuses it"),
};

#define OPTIONS(table) .opt = (table), .opt_count = CX_COUNT(table)

static const struct cx_cmd commands[] = {
	{ .name = "exec", .about = "Run a document's command in a sandbox",
	  .operands = "[-- ARGV...]", .operands_max = 4096,
	  OPTIONS(exec_options), .args_size = sizeof(struct cx_running_exec),
	  .reads = &cx_outline_order, .writes = &cx_outline_result,
	  .tells = &cx_follow_shape, .run = cx_running_run_exec,
	  .refuse = cx_running_refuse_exec },
	{ .name = "batch", .about = "Run the commands of many documents",
	  OPTIONS(batch_options), .args_size = sizeof(struct cx_batching_args),
	  .reads = &cx_outline_order, .writes = &cx_outline_result,
	  .run = cx_batching_run_batch },
	{ .name = "serve", .about = "Run documents that come by a Unix socket",
	  OPTIONS(serve_options), .args_size = sizeof(struct cx_batching_args),
	  .reads = &cx_outline_order, .writes = &cx_outline_result,
	  .run = cx_batching_run_serve },
	{ .name = "open", .about = "Begin a run, or a job for many commands",
	  OPTIONS(open_options), .args_size = sizeof(struct cx_running_gate),
	  .reads = &cx_outline_job, .writes = &cx_outline_job,
	  .run = cx_running_run_open },
	{ .name = "close", .about = "End a run or a job and its workspace",
	  OPTIONS(gate_options), .args_size = sizeof(struct cx_running_gate),
	  .reads = &cx_outline_job, .writes = &cx_outline_job,
	  .run = cx_running_run_close },
	{ .name = "ready", .about = "Say whether the plane may be used",
	  OPTIONS(ready_options), .args_size = sizeof(struct cx_readying_args),
	  .writes = &cx_readiness_shape, .run = cx_readying_run },
	{ .name = "spec", .about = "Show what exec would do with a document",
	  .operands = "[-- ARGV...]", .operands_max = 4096,
	  OPTIONS(spec_options), .args_size = sizeof(struct cx_running_spec),
	  .reads = &cx_outline_order, .writes = &cx_sketch_shape,
	  .run = cx_running_run_spec },
	{ .name = "workspace list", .about = "List workspaces",
	  OPTIONS(list_options), .args_size = sizeof(struct cx_keeping_args),
	  .writes = &cx_inventory_list_shape, .run = cx_keeping_run_list },
	{ .name = "workspace export", .about = "Write a workspace as tar",
	  OPTIONS(export_options), .args_size = sizeof(struct cx_keeping_args),
	  .writes = &cx_workspace_files_shape, .run = cx_keeping_run_export },
	{ .name = "workspace import", .about = "Read tar into a workspace",
	  OPTIONS(import_options), .args_size = sizeof(struct cx_keeping_args),
	  .writes = &cx_workspace_files_shape, .run = cx_keeping_run_import },
	{ .name = "workspace diff",
	  .about = "Show, commit or discard a dry run's changes",
	  OPTIONS(diff_options), .args_size = sizeof(struct cx_keeping_args),
	  .writes = &cx_review_shape, .run = cx_keeping_run_diff },
	{ .name = "workspace rm", .about = "Remove a workspace",
	  OPTIONS(rm_options), .args_size = sizeof(struct cx_keeping_args),
	  .run = cx_keeping_run_rm },
	{ .name = "workspace gc", .about = "Collect what nobody will use again",
	  OPTIONS(gc_options), .args_size = sizeof(struct cx_keeping_args),
	  .writes = &cx_inventory_gone_shape, .run = cx_keeping_run_gc },
	{ .name = "delegate",
	  .about = "As root: let a user's runs limit themselves",
	  .operands = "USER", .operands_min = 1, .operands_max = 1,
	  OPTIONS(delegate_options),
	  .args_size = sizeof(struct cx_keeping_delegate),
	  .run = cx_keeping_run_delegate },
};

const struct cx_tool cx_tool = {
	.name = "cx-run",
	.about = "run commands in sandboxes",
	.cmd = commands, .cmd_count = CX_COUNT(commands),
};
