/* report.c - see report.h. */
#include "box/report.h"

void cx_report_done(struct cx_report *report)
{
	free(report->out.kept);
	free(report->err.kept);
	report->out.kept = NULL;
	report->err.kept = NULL;
}
