/* report.c - see report.h. */
#include "box/report.h"

#include "base/mem.h"
#include "box/outside.h"

void cx_report_settle(struct cx_report *report)
{
	if (!report->rest)
		return;
	cx_outside_done(report->rest);
	if (!report->rest->leaves)
		cx_mem_room_done(report->rest, sizeof *report->rest);
	report->rest = NULL;
}

void cx_report_done(struct cx_report *report)
{
	cx_report_settle(report);
	free(report->out.kept);
	free(report->err.kept);
	report->out.kept = NULL;
	report->err.kept = NULL;
}
