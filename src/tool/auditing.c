/* auditing.c - see auditing.h. */
#include "tool/auditing.h"

#include "audit/admission.h"
#include "audit/deposit.h"
#include "audit/health.h"
#include "audit/reading.h"
#include "base/clock.h"
#include "cli/pour.h"

enum { EXIT_SOME_DAMAGED = 1 };

int cx_auditing_run_append(struct cx_cli *cli, void *given)
{
	struct cx_auditing_append *args = given;
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

/* Whose records: true, or *ret_status is that of a refusal. */
static bool admit(const struct cx_cli *cli, const struct cx_auditing_read *args,
                  struct cx_session *session, struct cx_filter *filter,
                  int *ret_status)
{
	CX_AUTO_JSON json_t *doc = NULL;
	struct cx_err err = { 0 };

	if (!args->words.carrier && args->io.file)
		cx_err_set(&err, CX_E_USAGE, "-f names the document of "
		           "--carrier; say --carrier, too");
	if (!args->words.carrier && !args->io.file)
		return true;
	if (!err.code && cx_io_read(cli, &args->io, &doc, &err) == 0) {
		if (cx_io_passes(cli, doc, ret_status))
			return false;
		if (cx_admission_open(doc, session, &err) == 0) {
			filter->org_id = session->org_id;
			return true;
		}
	}
	*ret_status = cx_io_fail(cli, &err);
	return false;
}

int cx_auditing_run_read(struct cx_cli *cli, void *given)
{
	struct cx_auditing_read *args = given;
	struct cx_session session;
	struct cx_pour pour;
	struct cx_reading reading = {
		.limit = args->limit.value, .last = args->last.value,
		.give = give, .context = &pour,
	};
	struct cx_err err = { 0 };
	int status;

	if (cx_filter_make(&args->words, cx_clock_wall_ms() / 1000,
	                   &reading.filter, &err) < 0)
		return cx_io_fail(cli, &err);
	if (!admit(cli, args, &session, &reading.filter, &status))
		return status;
	cx_pour_start(&pour);
	if (cx_reading_run(&reading, &err) < 0) {
		cx_pour_end(&pour, cli);
		return cx_io_complain(cli, &err);
	}
	status = cx_pour_end(&pour, cli);
	if (status != 0 || pour.closed)
		return status;
	return tell(cli, &reading);
}

int cx_auditing_run_status(struct cx_cli *cli, void *given)
{
	CX_AUTO_JSON json_t *document = NULL;
	struct cx_err err = { 0 };

	(void)given;
	if (cx_health_look(&document, &err) < 0)
		return cx_io_fail(cli, &err);
	return cx_io_write(cli, document);
}
