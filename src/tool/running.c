/* running.c - see running.h. */
#include "tool/running.h"

#include <errno.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/caveat.h"
#include "model/event.h"
#include "run/cancel.h"
#include "run/changes.h"
#include "run/egress.h"
#include "run/ending.h"
#include "run/exec.h"
#include "run/follow.h"
#include "run/gate.h"
#include "run/sketch.h"
#include "tool/patience.h"

enum { EXIT_IO = 74, EXIT_REFUSED = 125 };

/* What a filter's each() works with. */
struct running {
	const struct cx_cli *cli;
	struct cx_broker broker;
	const struct cx_order_flags *flags;
	const char *agent;    /* of open, or NULL */
	struct cx_exec_end end;
	bool began;           /* exec was called */
	bool stop;            /* a signal came */
	bool failed;          /* and said so */
};

/* Says of what was passed on how much was dropped, and whether it arrived. */
static int end_relay(const struct running *running, struct cx_err *err)
{
	struct cx_relay *relay = running->flags->relay;

	cx_relay_finish(relay);
	if (relay->dropped)
		cx_io_note(running->cli, "%llu bytes were dropped: the reader "
		           "is too slow", (unsigned long long)relay->dropped);
	relay->dropped = 0;
	if (!relay->error)
		return 0;
	errno = relay->error;
	cx_err_sys(err, CX_E_IO_ERROR, "write the command's output");
	err->code = CX_E_IO_ERROR; /* a full disk there isn't our store's */
	return -1;
}

static int each_exec(json_t *doc, void *context, struct cx_err *err)
{
	struct running *running = context;
	struct cx_err unheard = { 0 };
	int done;

	running->began = true;
	done = cx_exec_document(&running->broker, doc, running->flags,
	                        &running->end, err);
	/* before the document; the same fault meets that, and is told then */
	if (running->flags->follow && end_relay(running, &unheard) < 0)
		running->end.signal = 0; /* our own, to end the command */
	running->failed = done < 0;
	running->stop = running->end.signal != 0;
	return done;
}

/* The exit status with -e: the command's, unless it couldn't be written. */
static int own_status(const struct running *running, int status)
{
	if (status == EXIT_IO && !running->failed)
		return status;
	if (running->began)
		return running->end.status;
	return status ? EXIT_REFUSED : 0;
}

/* The limit that ended a command; what a dry run came to. */
static void tell_ending(const struct running *running, const json_t *result)
{
	CX_AUTO_FREE char *text = NULL;
	CX_AUTO_FREE char *sum = NULL;

	cx_ending_tell(result, &text);
	if (text)
		cx_io_note(running->cli, "%s", text);
	cx_changes_tell(json_object_get(result, "changes"), running->end.where,
	                &sum);
	if (sum)
		cx_io_note(running->cli, "%s", sum);
}

static void tell_endings(const struct running *running, const json_t *doc)
{
	const json_t *list = json_object_get(doc, "results");

	tell_ending(running, json_object_get(doc, "result"));
	for (size_t i = 0; i < json_array_size(list); i++)
		tell_ending(running, json_array_get(list, i));
}

/* What the reader hasn't taken yet; then the command's own status. */
static int end_raw(struct running *running, const json_t *doc)
{
	struct cx_err err;
	int arrived = end_relay(running, &err);

	tell_endings(running, doc);
	if (arrived == 0)
		return running->end.status;
	running->end.signal = 0; /* our own, to end the command */
	return cx_io_complain(running->cli, &err);
}

/* Streams as they are; only what went wrong is said. */
static int run_raw(struct running *running, const struct cx_io_args *io)
{
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_err err = { 0 };

	if (cx_io_read(running->cli, io, &doc, &err) < 0) {
		cx_io_complain(running->cli, &err);
		return EXIT_REFUSED;
	}
	if (json_object_get(doc, "error")) {
		const json_t *error = json_object_get(doc, "error");
		const char *name = cx_json_text(error, "class");
		const char *text = cx_json_text(error, "message");

		cx_io_note(running->cli, "the document came with an error: "
		           "%s: %s", name ? name : "?", text ? text : "");
		return EXIT_REFUSED;
	}
	if (each_exec(doc, running, &err) < 0)
		cx_io_complain(running->cli, &err);
	return end_raw(running, doc);
}

/* Several hosts are several --host; what joins them is named. */
static int check_hosts(const struct cx_list *hosts, struct cx_err *err)
{
	static const char used[] = "abcdefghijklmnopqrstuvwxyz0123456789.*:_-";

	for (size_t i = 0; i < hosts->count; i++) {
		const char *host = hosts->item[i];
		const char *odd = host + strspn(host, used);

		if (*odd)
			return cx_err_set(err, CX_E_USAGE,
			                  "--host takes one host, in lower "
			                  "case, and has \"%c\" in it; repeat "
			                  "--host for more", *odd);
		if (!cx_caveat_is_host(host))
			return cx_err_set(err, CX_E_USAGE, "--host is host, "
			                  "*.host or host:port");
	}
	return 0;
}

static int check_flags(const struct cx_running_exec *args,
                       const struct cx_cli *cli, struct cx_err *err)
{
	bool document = !args->io.file && !args->io.empty;

	for (size_t i = 0; i < args->hosts.count; i++)
		if (cx_egress_check_host(args->hosts.item[i], err) < 0)
			return -1;
	if (args->command && cli->rest_count)
		return cx_err_set(err, CX_E_USAGE,
		                  "-c and a command behind -- exclude each "
		                  "other");
	if (args->raw && args->io.stream)
		return cx_err_set(err, CX_E_USAGE,
		                  "--raw and --stream exclude each other");
	if (args->raw && args->follow)
		return cx_err_set(err, CX_E_USAGE,
		                  "--raw and --follow exclude each other");
	if (args->input && cx_str_same(args->input, "-") && document)
		return cx_err_set(err, CX_E_USAGE, "--stdin - needs -f FILE or "
		                  "-n: standard input is the document");
	if (cx_patience_check(&args->wait, args->no_wait, err) < 0)
		return -1;
	return check_hosts(&args->hosts, err);
}

static void tell_audit(const struct running *running)
{
	struct cx_err err;

	if (cx_record_complaint(&running->broker.sink, &err))
		cx_io_note(running->cli, "%s: %s", cx_err_name(err.code),
		           err.text);
}

static void tell_waiting(void *context)
{
	cx_io_note(context, "another command uses the workspace; waiting for "
	           "its end");
}

static void start_follow(struct cx_follow *follow)
{
	bool person = isatty(STDOUT_FILENO);

	cx_follow_start(person, person && getenv("NO_COLOR") == NULL, follow);
}

/* The exit status, but for the signal that ended it. */
static int run_exec(struct running *running, const struct cx_running_exec *args,
                    bool own)
{
	struct cx_io_args io = args->io;
	struct cx_err err = { 0 };
	int status;

	if (cx_broker_open(&running->broker, &err) < 0) {
		status = args->raw ? cx_io_complain(running->cli, &err)
		                   : cx_io_fail(running->cli, &err);
		return own ? EXIT_REFUSED : status;
	}
	running->broker.leaves = !io.stream;
	io.prompt = true;
	io.stop = &running->stop;
	if (args->raw)
		status = run_raw(running, &io);
	else
		status = cx_io_filter(running->cli, &io, each_exec, running);
	if (own && !args->raw && !io.stream)
		status = own_status(running, status);
	tell_audit(running);
	return status;
}

/* Whether the exit status is to be the command's. */
static bool owns_status(const struct cx_running_exec *args,
                        const struct cx_cli *cli)
{
	return args->exit_status || args->raw || args->command ||
	       cli->rest_count;
}

int cx_running_refuse_exec(struct cx_cli *cli, void *given,
                           const struct cx_err *err)
{
	const struct cx_running_exec *args = given;
	int status = args->raw ? cx_io_complain(cli, err)
	                       : cx_io_fail(cli, err);

	return owns_status(args, cli) ? EXIT_REFUSED : status;
}

int cx_running_run_exec(struct cx_cli *cli, void *given)
{
	const struct cx_running_exec *args = given;
	struct cx_follow follow = { .index = 0 };
	const struct cx_order_flags flags = {
		.egress = { args->tier, args->hosts.item, args->hosts.count },
		.argv = cli->rest_count ? cli->rest : NULL,
		.command = args->command,
		.input = args->input,
		.in = args->in.item,
		.in_count = args->in.count,
		.out = args->out.item,
		.out_count = args->out.count,
		.runtime = args->runtime,
		.workspace = args->workspace,
		.dry_run = args->dry_run,
		.wait_ms = cx_patience_of(&args->wait, args->no_wait),
		.waits = tell_waiting,
		.waits_context = cli,
		.keep_carrier = args->keep_carrier,
		.relay = args->raw || args->follow ? &follow.relay : NULL,
		.follow = args->follow ? &follow : NULL,
	};
	struct running running = { .cli = cli, .flags = &flags };
	struct cx_err err = { 0 };
	int status;

	if (check_flags(args, cli, &err) < 0)
		return cx_running_refuse_exec(cli, given, &err);
	if (flags.relay)
		start_follow(&follow);
	status = run_exec(&running, args, owns_status(args, cli));
	cx_relay_done(&follow.relay);
	if (running.broker.leaves && !running.end.signal)
		cx_io_leave();
	cx_broker_done(&running.broker);
	if (running.end.signal)
		cx_cancel_die(running.end.signal);
	return status;
}

static int each_open(json_t *doc, void *context, struct cx_err *err)
{
	struct running *running = context;

	return cx_gate_open(&running->broker, doc, running->agent, err);
}

static int each_close(json_t *doc, void *context, struct cx_err *err)
{
	struct running *running = context;
	bool waits = false;

	if (cx_gate_close(&running->broker, doc, &waits, err) < 0)
		return -1;
	if (waits)
		cx_io_note(running->cli, "a command still runs in the "
		           "workspace; it goes when that has ended");
	return 0;
}

static int filter(const struct cx_cli *cli, const struct cx_running_gate *args,
                  cx_io_each *each)
{
	struct running running = { .cli = cli, .agent = args->agent };
	struct cx_err err = { 0 };
	int status;

	if (cx_broker_open(&running.broker, &err) < 0)
		status = cx_io_fail(cli, &err);
	else
		status = cx_io_filter(cli, &args->io, each, &running);
	cx_broker_done(&running.broker);
	return status;
}

int cx_running_run_open(struct cx_cli *cli, void *given)
{
	const struct cx_running_gate *args = given;
	struct cx_err err;

	if (!args->agent || cx_event_is_id(args->agent))
		return filter(cli, args, each_open);
	cx_err_set(&err, CX_E_USAGE,
	           "--agent is 1 to 256 bytes without controls");
	return cx_io_fail(cli, &err);
}

int cx_running_run_close(struct cx_cli *cli, void *given)
{
	return filter(cli, given, each_close);
}

static int show_spec(struct cx_cli *cli, const struct cx_running_spec *args,
                     struct cx_broker *broker, struct cx_err *err)
{
	const struct cx_order_flags flags = {
		.egress = { .tier = args->tier },
		.argv = cli->rest_count ? cli->rest : NULL,
		.command = args->command,
		.runtime = args->runtime,
	};
	CX_AUTO_JSON json_t *doc = NULL;
	CX_AUTO_JSON json_t *spec = NULL;
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (args->explain && args->format)
		return cx_err_set(err, CX_E_USAGE, "--explain and --format "
		                  "exclude each other");
	if (cx_io_read(cli, &args->io, &doc, err) < 0 ||
	    cx_broker_open(broker, err) < 0)
		return -1;
	if (args->explain) {
		if (cx_sketch_explain(broker, doc, &flags, &text, err) < 0)
			return -1;
		return cx_io_raw(cli, text.data, text.size);
	}
	if (args->format && cx_str_same(args->format, "oci")) {
		if (cx_sketch_oci(broker, doc, &flags, &spec, err) < 0)
			return -1;
		return cx_io_write(cli, spec);
	}
	if (cx_sketch_json(broker, doc, &flags, &spec, err) < 0)
		return -1;
	return cx_io_write(cli, spec);
}

int cx_running_run_spec(struct cx_cli *cli, void *given)
{
	CX_AUTO_BROKER struct cx_broker broker = CX_BROKER_NONE;
	struct cx_err err = { 0 };
	int status = show_spec(cli, given, &broker, &err);

	return status < 0 ? cx_io_fail(cli, &err) : status;
}
