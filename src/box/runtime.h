/* runtime.h - an OCI runtime as a program: where it is, what it can be given,
 * and what its refusal means. */
#ifndef CX_BOX_RUNTIME_H
#define CX_BOX_RUNTIME_H

#include "box/box.h"

/* name is a path, or is looked for in PATH; *ret_path is owned. Refused as
 * CX_E_ISOLATION_UNAVAILABLE where we aren't root or it isn't there. */
int cx_runtime_find(const char *name, char **ret_path, struct cx_err *err);

/* A configuration is JSON: what isn't UTF-8 has no place in it. */
int cx_runtime_check_texts(const struct cx_box *box, struct cx_err *err);

/* Fills *err with what the runtime said last on the pipe, and with a remedy
 * where one is known; -1. */
int cx_runtime_explain(const char *path, int pipe_fd, struct cx_err *err);

#endif
