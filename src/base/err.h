/*
 * err.h - failure as a value.
 *
 * A function that can fail returns 0 or -1 and takes a struct cx_err last; it
 * fills it exactly when it returns -1. The struct is a plain value of fixed
 * size, smaller than PIPE_BUF, so that a dying child writes it whole down a
 * pipe. Only cli/main.c prints. A refusal by policy is a result as well and
 * takes the same path to the audit record.
 */
#ifndef CX_BASE_ERR_H
#define CX_BASE_ERR_H

#include <stddef.h>

enum cx_class {
	CX_E_NONE,
#define CX_CLASS(symbol, text, status, area, about) CX_E_##symbol,
#include "base/err.def"
#undef CX_CLASS
	CX_E_COUNT
};

struct cx_err {
	enum cx_class code;
	int status;        /* exit status, when not the class's own; else 0 */
	int sys;           /* errno at the failure, else 0 */
	char pointer[256]; /* JSON pointer into the input; "" when none */
	char text[768];    /* one line, no final full stop */
};

/* Fills *err with class, text; pointer empty. Always returns -1. */
int cx_err_set(struct cx_err *err, enum cx_class code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As cx_err_set, with ": strerror(errno)" appended and errno kept.
 * ENOSPC and EDQUOT turn CX_E_IO_ERROR into CX_E_STORE_FULL. */
int cx_err_sys(struct cx_err *err, enum cx_class code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A named file, repository or revision isn't there: io_error, exit 66. */
int cx_err_missing(struct cx_err *err, const char *path);

/* Puts "what: " before the text. Returns -1. */
int cx_err_wrap(struct cx_err *err, const char *what);

/* Sets the JSON pointer that the failure belongs to. Returns -1. */
int cx_err_at(struct cx_err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The class's stable text, meaning, area; "" for CX_E_NONE. */
const char *cx_err_name(enum cx_class code);
const char *cx_err_about(enum cx_class code);
const char *cx_err_area(enum cx_class code);

/* The class of a stable text, CX_E_NONE when there is none. */
enum cx_class cx_err_find(const char *name);

/* The exit status: err->status, else that of the class. */
int cx_err_exit(const struct cx_err *err);

#endif
