/*
 * input.h - standard input of a command, as a sealed file in memory.
 *
 * A descriptor of the host's own file could be opened again for writing
 * through /proc/self/fd inside; a sealed copy can't be changed by anybody.
 */
#ifndef CX_RUN_INPUT_H
#define CX_RUN_INPUT_H

#include "base/buf.h"
#include "base/err.h"

#define CX_INPUT_MAX_BYTES (1ULL << 30)

int cx_input_text(const struct cx_buf *text, int *ret_fd, struct cx_err *err);

/* The whole of path, a file or a pipe ("-" is our own standard input). */
int cx_input_file(const char *path, int *ret_fd, struct cx_err *err);

#endif
