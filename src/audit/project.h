/*
 * project.h - the second allowlist: what of a line is given to a reader.
 *
 * A line that is exactly an event's is given as it stands. Of any other that
 * is a JSON object, only the members that the event has are given, and of
 * those only plain values; the rest isn't shown to anybody.
 */
#ifndef CX_AUDIT_PROJECT_H
#define CX_AUDIT_PROJECT_H

#include <stdbool.h>

#include "base/buf.h"
#include "model/event.h"

struct cx_project {
	struct cx_event event; /* for filters; texts are borrowed from text or
	                          kept */
	struct cx_buf text;
	struct cx_buf json;    /* what a reader gets, one JSON object */
	void *kept;            /* a json_t that the texts point into */
};

/* True when the line is an event's. When false, *ret holds what could be
 * kept of it; json is empty when it is no object at all. Clear with
 * cx_project_done before the next line. */
bool cx_project_line(const char *line, size_t size, struct cx_project *ret);
void cx_project_done(struct cx_project *project);

#endif
