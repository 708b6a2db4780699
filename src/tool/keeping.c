/* keeping.c - see keeping.h. */
#include "tool/keeping.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/str.h"
#include "run/delegate.h"
#include "run/inventory.h"
#include "run/review.h"
#include "run/workspace.h"
#include "tool/patience.h"

/* One verb: fills *ret_doc, or leaves it NULL when it printed by itself. */
typedef int work(const struct cx_cli *cli, const struct cx_keeping_args *args,
                 struct cx_broker *broker, json_t **ret_doc,
                 struct cx_err *err);

static int run(const struct cx_cli *cli, const struct cx_keeping_args *args,
               work *each)
{
	CX_AUTO_BROKER struct cx_broker broker = CX_BROKER_NONE;
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_err err = { 0 };

	if (cx_patience_check(&args->wait, args->no_wait, &err) < 0 ||
	    cx_broker_open(&broker, &err) < 0 ||
	    each(cli, args, &broker, &doc, &err) < 0)
		return cx_io_fail(cli, &err);
	return doc ? cx_io_write(cli, doc) : 0;
}

static struct cx_workspace_words words(const struct cx_keeping_args *args)
{
	return (struct cx_workspace_words){
		.org = args->org, .user = args->user, .run = args->run,
		.job = args->job, .name = args->workspace,
		.wait_ms = cx_patience_of(&args->wait, args->no_wait),
	};
}

static int list(const struct cx_cli *cli, const struct cx_keeping_args *args,
                struct cx_broker *broker, json_t **ret_doc,
                struct cx_err *err)
{
	(void)cli;
	return cx_inventory_list(broker, args->org, ret_doc, err);
}

static int export(const struct cx_cli *cli, const struct cx_keeping_args *args,
                  struct cx_broker *broker, json_t **ret_doc,
                  struct cx_err *err)
{
	const struct cx_workspace_words which = words(args);

	(void)cli;
	if (args->file && !cx_str_same(args->file, "-"))
		return cx_workspace_export_file(broker, &which, args->file,
		                                ret_doc, err);
	if (isatty(STDOUT_FILENO))
		return cx_err_set(err, CX_E_USAGE, "standard output is a "
		                  "terminal; name a file with -o FILE");
	/* the archive is the output; nothing else may stand there */
	return cx_workspace_export(broker, &which, STDOUT_FILENO, NULL, err);
}

static int import(const struct cx_cli *cli, const struct cx_keeping_args *args,
                  struct cx_broker *broker, json_t **ret_doc,
                  struct cx_err *err)
{
	const struct cx_workspace_words which = words(args);
	CX_AUTO_FD int fd = -1;

	(void)cli;
	if (!args->file && isatty(STDIN_FILENO))
		return cx_err_set(err, CX_E_USAGE, "standard input is a "
		                  "terminal; name a tar file with -f FILE");
	if (!args->file || cx_str_same(args->file, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(args->file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 && errno == ENOENT)
		return cx_err_missing(err, args->file);
	if (fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open the tar file");
	return cx_workspace_import(broker, &which, fd, ret_doc, err);
}

static int diff(const struct cx_cli *cli, const struct cx_keeping_args *args,
                struct cx_broker *broker, json_t **ret_doc,
                struct cx_err *err)
{
	const struct cx_workspace_words which = words(args);

	(void)cli;
	if (args->commit && args->discard)
		return cx_err_set(err, CX_E_USAGE, "--commit and --discard "
		                  "exclude each other");
	return cx_review_changes(broker, &which, args->commit
	                         ? CX_REVIEW_COMMIT : args->discard
	                         ? CX_REVIEW_DISCARD : CX_REVIEW_SHOW,
	                         ret_doc, err);
}

static int rm(const struct cx_cli *cli, const struct cx_keeping_args *args,
              struct cx_broker *broker, json_t **ret_doc, struct cx_err *err)
{
	const struct cx_workspace_words which = words(args);
	bool waits = false;

	(void)ret_doc;
	if (cx_workspace_rm(broker, &which, &waits, err) < 0)
		return -1;
	if (waits)
		cx_io_note(cli, "a command still runs in the workspace; it "
		           "goes when that has ended");
	return 0;
}

static int gc(const struct cx_cli *cli, const struct cx_keeping_args *args,
              struct cx_broker *broker, json_t **ret_doc, struct cx_err *err)
{
	const struct cx_inventory_rule rule = {
		.unused_s = (int64_t)args->unused.value,
		.named = args->named,
		.dry_run = args->dry_run,
	};

	(void)cli;
	if (args->named && !args->unused.set)
		return cx_err_set(err, CX_E_USAGE, "--named needs --unused "
		                  "SECONDS: what has a name goes only when "
		                  "it wasn't used for so long");
	return cx_inventory_gc(broker, &rule, ret_doc, err);
}

int cx_keeping_run_list(struct cx_cli *cli, void *given)
{
	return run(cli, given, list);
}

int cx_keeping_run_export(struct cx_cli *cli, void *given)
{
	return run(cli, given, export);
}

int cx_keeping_run_import(struct cx_cli *cli, void *given)
{
	return run(cli, given, import);
}

int cx_keeping_run_diff(struct cx_cli *cli, void *given)
{
	return run(cli, given, diff);
}

int cx_keeping_run_rm(struct cx_cli *cli, void *given)
{
	return run(cli, given, rm);
}

int cx_keeping_run_gc(struct cx_cli *cli, void *given)
{
	return run(cli, given, gc);
}

int cx_keeping_run_delegate(struct cx_cli *cli, void *given)
{
	const struct cx_keeping_delegate *args = given;
	struct cx_err err = { 0 };

	if (cx_delegate_to(cli->rest[0], args->enter.set
	                   ? (int)args->enter.value : -1, &err) < 0)
		return cx_io_fail(cli, &err);
	cx_io_note(cli, "%s's runs may limit themselves from now on, until "
	           "the machine is started again", cli->rest[0]);
	return 0;
}
