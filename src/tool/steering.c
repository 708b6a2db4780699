/* steering.c - see steering.h. */
#include "tool/steering.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "gateway/escort.h"
#include "gateway/petition.h"

static int ask(const struct cx_cli *cli, const struct cx_steering *args,
               const json_t *question)
{
	CX_AUTO_JSON json_t *answer = NULL;
	struct cx_err err = { 0 };

	if (cx_petition_ask(args->control, question, &answer, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, answer);
}

int cx_steering_run_register(struct cx_cli *cli, void *given)
{
	const struct cx_steering *args = given;
	CX_AUTO_JSON json_t *question = cx_petition_about("register", NULL);
	json_t *doc = NULL;
	struct cx_err err = { 0 };

	if (cx_io_read(cli, &args->io, &doc, &err) < 0)
		return cx_io_fail(cli, &err);
	json_object_set_new(question, "registration", doc);
	return ask(cli, args, question);
}

/* About one job: by its id, or by the token of a document, which so stands in
 * no argument. */
static int ask_about(const struct cx_cli *cli, const struct cx_steering *args,
                     const char *verb)
{
	CX_AUTO_JSON json_t *question = cx_petition_about(verb, args->job);
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_err err = { 0 };

	if (args->job)
		return ask(cli, args, question);
	if (cx_io_read(cli, &args->io, &doc, &err) < 0)
		return cx_io_fail(cli, &err);
	if (!cx_json_text(doc, "token")) {
		cx_err_set(&err, CX_E_INPUT_INVALID, "name the job by --job, "
		           "or by the token of its registration");
		cx_err_at(&err, "/token");
		return cx_io_fail(cli, &err);
	}
	json_object_set(question, "token", json_object_get(doc, "token"));
	return ask(cli, args, question);
}

int cx_steering_run_unregister(struct cx_cli *cli, void *given)
{
	return ask_about(cli, given, "unregister");
}

int cx_steering_run_revoke(struct cx_cli *cli, void *given)
{
	return ask_about(cli, given, "revoke");
}

int cx_steering_run_usage(struct cx_cli *cli, void *given)
{
	const struct cx_steering *args = given;
	CX_AUTO_JSON json_t *question = cx_petition_about("usage", args->job);

	return ask(cli, args, question);
}

int cx_steering_run_reload(struct cx_cli *cli, void *given)
{
	CX_AUTO_JSON json_t *question = cx_petition_about("reload", NULL);

	return ask(cli, given, question);
}

/* Standard output is the command's. */
static int tell_usage(const struct cx_steering *args, const json_t *usage,
                      struct cx_err *err)
{
	CX_AUTO_FD int fd = -1;

	if (!args->usage)
		return cx_json_pour(usage, false, false, 2);
	fd = open(args->usage, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
	          0666);
	if (fd < 0 || cx_json_pour(usage, false, false, fd) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "write %.400s",
		                  args->usage);
	return 0;
}

int cx_steering_run_with(struct cx_cli *cli, void *given)
{
	const struct cx_steering *args = given;
	CX_AUTO_JSON json_t *usage = NULL;
	struct cx_escort escort;
	struct cx_err err = { 0 };
	int status;

	if (cx_escort_start(&escort, &err) < 0) {
		cx_escort_done(&escort);
		return cx_io_complain(cli, &err);
	}
	if (cx_escort_run(&escort, cli->rest, &status, &err) < 0)
		cx_io_complain(cli, &err);
	else if (cx_escort_usage(&escort, &usage, &err) < 0 ||
	         tell_usage(args, usage, &err) < 0)
		cx_io_complain(cli, &err);
	cx_escort_done(&escort);
	return status;
}
