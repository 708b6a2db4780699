/* auditing.h - the verbs of cx-audit between their options and the service. */
#ifndef CX_TOOL_AUDITING_H
#define CX_TOOL_AUDITING_H

#include "audit/filter.h"
#include "cli/io.h"

struct cx_auditing_append {
	struct cx_io_args io;
	const char *key;
};

struct cx_auditing_read {
	struct cx_io_args io; /* of the document that holds the carrier */
	struct cx_filter_words words;
	struct cx_number limit, last;
};

/* Each returns the exit status; given is the verb's struct. */
int cx_auditing_run_append(struct cx_cli *cli, void *given);
int cx_auditing_run_read(struct cx_cli *cli, void *given);
int cx_auditing_run_status(struct cx_cli *cli, void *given);

#endif
