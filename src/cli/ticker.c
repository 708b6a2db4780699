/* ticker.c - see ticker.h. */
#include "cli/ticker.h"

#include <sys/ioctl.h>
#include <termios.h>

#include "base/clock.h"

bool cx_ticker_start(const char *tool, struct cx_ticker *ret)
{
	*ret = (struct cx_ticker){ tool, false, cx_clock_mono_us() / 1000 };
	return isatty(STDERR_FILENO);
}

/* Longer than this the line would wrap and stay. */
static size_t columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 20)
		return 79;
	return size.ws_col - 1U;
}

void cx_ticker_say(const char *text, void *context)
{
	struct cx_ticker *ticker = context;
	char line[512];
	size_t width = columns();
	long long now_ms = cx_clock_mono_us() / 1000;

	snprintf(line, sizeof line, "%s: %3lld s  %s", ticker->tool,
	         (now_ms - ticker->start_ms) / 1000, text);
	for (char *at = line; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	if (width < sizeof line)
		line[width] = '\0';
	fprintf(stderr, "\r\033[K%s", line);
	fflush(stderr);
	ticker->shown = true;
}

void cx_ticker_end(struct cx_ticker *ticker)
{
	if (!ticker->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	ticker->shown = false;
}
