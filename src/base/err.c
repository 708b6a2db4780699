/* err.c - see err.h. */
#include "base/err.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>

#include "base/count.h"

_Static_assert(sizeof(struct cx_err) < PIPE_BUF, "written whole down a pipe");

static const struct {
	const char *name;
	int status;
	const char *area;
	const char *about;
} class[] = {
	{ "", 0, "", "" },
#define CX_CLASS(symbol, text, status, area, about) \
	{ text, status, area, about },
#include "base/err.def"
#undef CX_CLASS
};

__attribute__((format(printf, 4, 0)))
static void fill(struct cx_err *err, enum cx_class code, int sys,
                 const char *format, va_list arg)
{
	err->code = code;
	err->status = 0;
	err->sys = sys;
	err->pointer[0] = '\0';
	vsnprintf(err->text, sizeof err->text, format, arg);
}

int cx_err_set(struct cx_err *err, enum cx_class code, const char *format, ...)
{
	va_list arg;

	va_start(arg, format);
	fill(err, code, 0, format, arg);
	va_end(arg);
	return -1;
}

int cx_err_sys(struct cx_err *err, enum cx_class code, const char *format, ...)
{
	int sys = errno;
	va_list arg;
	size_t used;

	if (code == CX_E_IO_ERROR && (sys == ENOSPC || sys == EDQUOT))
		code = CX_E_STORE_FULL;
	va_start(arg, format);
	fill(err, code, sys, format, arg);
	va_end(arg);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, ": %s",
	         strerrordesc_np(sys) ? strerrordesc_np(sys) : "unknown error");
	errno = sys;
	return -1;
}

int cx_err_missing(struct cx_err *err, const char *path)
{
	cx_err_set(err, CX_E_IO_ERROR, "%s: isn't there", path);
	err->sys = ENOENT;
	err->status = 66;
	return -1;
}

int cx_err_wrap(struct cx_err *err, const char *what)
{
	char text[sizeof err->text];

	snprintf(text, sizeof text, "%s", err->text);
	snprintf(err->text, sizeof err->text, "%.200s: %.500s", what, text);
	return -1;
}

int cx_err_at(struct cx_err *err, const char *format, ...)
{
	va_list arg;

	va_start(arg, format);
	vsnprintf(err->pointer, sizeof err->pointer, format, arg);
	va_end(arg);
	return -1;
}

const char *cx_err_name(enum cx_class code)
{
	return class[code < CX_COUNT(class) ? code : 0].name;
}

const char *cx_err_about(enum cx_class code)
{
	return class[code < CX_COUNT(class) ? code : 0].about;
}

const char *cx_err_area(enum cx_class code)
{
	return class[code < CX_COUNT(class) ? code : 0].area;
}

enum cx_class cx_err_find(const char *name)
{
	for (size_t i = 1; i < CX_COUNT(class); i++)
		if (strcmp(class[i].name, name) == 0)
			return (enum cx_class)i;
	return CX_E_NONE;
}

int cx_err_exit(const struct cx_err *err)
{
	if (err->status)
		return err->status;
	return class[err->code < CX_COUNT(class) ? err->code : 0].status;
}
