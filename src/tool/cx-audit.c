/* cx-audit.c - the tables of cx-audit. */
#include "audit/deposit.h"
#include "audit/health.h"
#include "audit/intake.h"
#include "audit/reading.h"
#include "tool/auditing.h"

static const struct cx_opt append_options[] = {
	CX_PATH(struct cx_auditing_append, io.file, "file", 'f', "FILE",
	        "Read the event from FILE instead of standard input"),
	CX_FLAG(struct cx_auditing_append, io.stream, "stream", 0,
	        "Read many events, one a line, and answer each with a line"),
	CX_TEXT(struct cx_auditing_append, key, "key", 0, "KEY",
	        "Idempotency key: what stands there under it isn't written "
	        "again; with --stream, KEY/1, KEY/2 and so on"),
};

static const struct cx_opt read_options[] = {
	CX_TEXT(struct cx_auditing_read, words.org, "org", 0, "ID",
	        "Read the records of this organization"),
	CX_FLAG(struct cx_auditing_read, words.carrier, "carrier", 0,
	        "Read the records of the organization that the document's "
	        "carrier, minted with --use read, was made for"),
	CX_PATH(struct cx_auditing_read, io.file, "file", 'f', "FILE",
	        "With --carrier: read the document from FILE instead of "
	        "standard input"),
	CX_FLAG(struct cx_auditing_read, words.instance, "instance", 0,
	        "Read the records of every organization"),
	CX_TEXT(struct cx_auditing_read, words.user, "user", 0, "ID",
	        "Only of this user"),
	CX_TEXT(struct cx_auditing_read, words.run, "run", 0, "ID",
	        "Only of this run"),
	CX_TEXT(struct cx_auditing_read, words.job, "job", 0, "ID",
	        "Only of this job"),
	CX_TEXT(struct cx_auditing_read, words.since, "since", 0, "TIME",
	        "Only from TIME on: 2026-11-30, 2026-11-30T20:40Z, or how "
	        "long ago, as 90s, 15m, 2h, 7d"),
	CX_TEXT(struct cx_auditing_read, words.until, "until", 0, "TIME",
	        "Only from before TIME"),
	CX_WORD(struct cx_auditing_read, words.decision, "decision", 0,
	        "DECISION",
	        cx_decision_word + 1, "Only with this decision"),
	CX_WORD(struct cx_auditing_read, words.surface, "surface", 0, "SURFACE",
	        cx_surface_word + 1, "Only of this surface"),
	CX_WORD(struct cx_auditing_read, words.termination, "termination", 0,
	        "WORD",
	        cx_termination_word + 1, "Only what ended so"),
	CX_TEXT(struct cx_auditing_read, words.reason, "reason", 0, "CLASS",
	        "Only what was refused so"),
	CX_NUMBER(struct cx_auditing_read, limit, "limit", 0, "N", 1, INT64_MAX,
	          "Stop after N records"),
	CX_NUMBER(struct cx_auditing_read, last, "last", 0, "N", 1,
	          CX_READING_LAST_MAX, "Only the last N of them"),
};

static const struct cx_cmd command[] = {
	{ .name = "append", .about = "Write an event into the log",
	  .opt = append_options, .opt_count = CX_COUNT(append_options),
	  .args_size = sizeof(struct cx_auditing_append),
	  .reads = &cx_intake_shape, .writes = &cx_deposit_shape,
	  .run = cx_auditing_run_append },
	{ .name = "read", .about = "Print records, a line each",
	  .opt = read_options, .opt_count = CX_COUNT(read_options),
	  .args_size = sizeof(struct cx_auditing_read),
	  .writes = &cx_intake_row_shape, .run = cx_auditing_run_read },
	{ .name = "status", .about = "Say how the log is, at a glance",
	  .writes = &cx_health_shape, .run = cx_auditing_run_status },
};

const struct cx_tool cx_tool = {
	.name = "cx-audit",
	.about = "keep and read the record of every command",
	.cmd = command, .cmd_count = CX_COUNT(command),
};
