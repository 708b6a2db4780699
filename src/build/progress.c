/* progress.c - see progress.h. */
#include "build/progress.h"

#include <stdarg.h>

void cx_progress_say(const struct cx_progress *progress, const char *format,
                     ...)
{
	char line[256];
	va_list arg;

	if (!progress || !progress->say)
		return;
	va_start(arg, format);
	vsnprintf(line, sizeof line, format, arg);
	va_end(arg);
	progress->say(line, progress->context);
}
