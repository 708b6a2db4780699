/*
 * progress.h - telling a person who waits what is going on. Libraries don't
 * print: the tool gives a function, or none where nobody watches.
 */
#ifndef CX_BUILD_PROGRESS_H
#define CX_BUILD_PROGRESS_H

struct cx_progress {
	void (*say)(const char *line, void *context); /* NULL: quiet */
	void *context;
};

/* progress may be NULL. */
void cx_progress_say(const struct cx_progress *progress, const char *format,
                     ...) __attribute__((format(printf, 2, 3)));

#endif
