/* cx-audit.c - the tables of cx-audit, and the glue to its service. */
#include "audit/deposit.h"
#include "audit/intake.h"
#include "audit/reading.h"
#include "base/clock.h"
#include "cli/io.h"
#include "cli/pour.h"

enum { EXIT_SOME_DAMAGED = 1 };

struct append_args {
	struct cx_io_args io;
	const char *key;
};

static const struct cx_opt append_options[] = {
	CX_PATH(struct append_args, io.file, "file", 'f', "FILE",
	        "Read the event from FILE instead of standard input"),
	CX_FLAG(struct append_args, io.stream, "stream", 0,
	        "Read many events, one a line, and answer each with a line"),
	CX_TEXT(struct append_args, key, "key", 0, "KEY",
	        "Idempotency key: what stands there under it isn't written "
	        "again; with --stream, KEY/1, KEY/2 and so on"),
};

static int run_append(struct cx_cli *cli, void *given)
{
	struct append_args *args = given;
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;
	CX_AUTO_DB struct cx_db db = { .state = &state };
	CX_AUTO_CONFIG struct cx_config config = { 0 };
	struct cx_record_sink sink;
	struct cx_deposit deposit = { .sink = &sink, .key = args->key,
	                          .many = args->io.stream };
	struct cx_err err = { 0 };
	int status;

	if (cx_config_load(&config, &err) < 0 ||
	    cx_state_open(&state, &err) < 0)
		return cx_io_fail(cli, &err);
	cx_record_open(&state, &db, cx_record_sync(&config), &sink);
	status = cx_io_filter(cli, &args->io, cx_deposit_take, &deposit);
	if (sink.torn_bytes > 0)
		cx_io_note(cli, "%llu torn bytes of the log were set aside in "
		           "its quarantine folder",
		           (unsigned long long)sink.torn_bytes);
	cx_record_done(&sink);
	return status;
}

struct read_args {
	struct cx_filter_words words;
	struct cx_number limit, last;
};

static const struct cx_opt read_options[] = {
	CX_TEXT(struct read_args, words.org, "org", 0, "ID",
	        "Read the records of this organization"),
	CX_FLAG(struct read_args, words.instance, "instance", 0,
	        "Read the records of every organization"),
	CX_TEXT(struct read_args, words.user, "user", 0, "ID",
	        "Only of this user"),
	CX_TEXT(struct read_args, words.run, "run", 0, "ID",
	        "Only of this run"),
	CX_TEXT(struct read_args, words.job, "job", 0, "ID",
	        "Only of this job"),
	CX_TEXT(struct read_args, words.since, "since", 0, "TIME",
	        "Only from TIME on: 2026-11-30, 2026-11-30T20:40Z, or how "
	        "long ago, as 90s, 15m, 2h, 7d"),
	CX_TEXT(struct read_args, words.until, "until", 0, "TIME",
	        "Only from before TIME"),
	CX_WORD(struct read_args, words.decision, "decision", 0, "DECISION",
	        cx_decision_word + 1, "Only with this decision"),
	CX_WORD(struct read_args, words.surface, "surface", 0, "SURFACE",
	        cx_surface_word + 1, "Only of this surface"),
	CX_WORD(struct read_args, words.termination, "termination", 0, "WORD",
	        cx_termination_word + 1, "Only what ended so"),
	CX_TEXT(struct read_args, words.reason, "reason", 0, "CLASS",
	        "Only what was refused so"),
	CX_NUMBER(struct read_args, limit, "limit", 0, "N", 1, INT64_MAX,
	          "Stop after N records"),
	CX_NUMBER(struct read_args, last, "last", 0, "N", 1,
	          CX_READING_LAST_MAX, "Only the last N of them"),
};

static bool give(const char *line, size_t size, void *context)
{
	return cx_pour_line(context, line, size);
}

/* What a reader has to know beside the records: 0, or 1 for damage. */
static int tell(const struct cx_cli *cli, struct cx_reading *reading)
{
	if (reading->gap > 0)
		cx_io_note(cli, "%llu records are missing that couldn't be "
		           "written", (unsigned long long)reading->gap);
	if (reading->damaged == 0)
		return 0;
	reading->first.status = EXIT_SOME_DAMAGED;
	return cx_io_complain(cli, &reading->first);
}

static int run_read(struct cx_cli *cli, void *given)
{
	struct read_args *args = given;
	struct cx_pour pour;
	struct cx_reading reading = {
		.limit = args->limit.value, .last = args->last.value,
		.give = give, .context = &pour,
	};
	struct cx_err err = { 0 };
	int status, damage;

	if (cx_filter_make(&args->words, cx_clock_wall_ms() / 1000,
	                   &reading.filter, &err) < 0)
		return cx_io_fail(cli, &err);
	cx_pour_start(&pour);
	if (cx_reading_run(&reading, &err) < 0) {
		cx_pour_end(&pour, cli);
		return cx_io_complain(cli, &err);
	}
	status = cx_pour_end(&pour, cli);
	if (status != 0 || pour.closed)
		return status;
	damage = tell(cli, &reading);
	return damage;
}

static const struct cx_cmd command[] = {
	{ .name = "append", .about = "Write an event into the log",
	  .opt = append_options, .opt_count = CX_COUNT(append_options),
	  .args_size = sizeof(struct append_args),
	  .reads = &cx_intake_shape, .writes = &cx_deposit_shape,
	  .run = run_append },
	{ .name = "read", .about = "Print records, a line each",
	  .opt = read_options, .opt_count = CX_COUNT(read_options),
	  .args_size = sizeof(struct read_args),
	  .writes = &cx_intake_row_shape, .run = run_read },
};

const struct cx_tool cx_tool = {
	.name = "cx-audit",
	.about = "keep and read the record of every command",
	.cmd = command, .cmd_count = CX_COUNT(command),
};
