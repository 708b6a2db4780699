/*
 * enquiry.h - a question to a gateway about its jobs, as JSON:
 * {do: register | unregister | revoke | usage | reload} with registration and
 * listeners, or with token or jobId; with tollMaxBytes where the job's commands
 * share a toll (plane/toll.h). Closed: an unknown member refuses it.
 */
#ifndef CX_GATEWAY_ENQUIRY_H
#define CX_GATEWAY_ENQUIRY_H

#include "data/json.h"
#include "gateway/job.h"

enum cx_enquiry_verb {
	CX_ENQUIRY_REGISTER,
	CX_ENQUIRY_UNREGISTER,
	CX_ENQUIRY_REVOKE,
	CX_ENQUIRY_USAGE,
	CX_ENQUIRY_RELOAD,
	CX_ENQUIRY_VERBS
};

struct cx_enquiry {
	json_t *whole;             /* owned */
	enum cx_enquiry_verb verb;
	const json_t *registration; /* NULL: none */
	const char *token, *id;    /* NULL: none */
	struct cx_job_listener listener[CX_JOB_LISTENERS_MAX]; /* fd -1 */
	size_t listeners;
	bool has_toll;            /* its descriptor follows the listeners' */
	uint64_t toll_max;        /* bytes */
};

/* CX_E_INPUT_INVALID. *ret is to be given to cx_enquiry_done either way. */
int cx_enquiry_read(const char *text, size_t size, struct cx_enquiry *ret,
                    struct cx_err *err);
void cx_enquiry_done(struct cx_enquiry *enquiry);

#define CX_AUTO_ENQUIRY __attribute__((cleanup(cx_enquiry_done)))

#endif
