/*
 * spawn.h - running another program: an argv, an enumerated environment,
 * three descriptors, and nothing else of ours.
 *
 * The child's signals are at their defaults and unblocked, every descriptor
 * above 2 is closed, and it is sent SIGTERM when we die. argv[0] is looked for
 * in PATH of this process's own environment; the child gets only env.
 */
#ifndef CX_BASE_SPAWN_H
#define CX_BASE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct cx_spawn {
	const char *const *argv; /* NULL-ended */
	const char *const *env;  /* NULL-ended */
	int in_fd;               /* -1: /dev/null */
	int out_fd;              /* -1: /dev/null */
	int err_fd;              /* -1: /dev/null */
	bool group;              /* as the head of a process group of its own */
};

/* A program that isn't there is io_error with err->sys == ENOENT, exit 69. */
int cx_spawn_start(const struct cx_spawn *what, pid_t *ret_pid,
                   struct cx_err *err);

/* Waits for the end; the wait status of waitpid(2). */
int cx_spawn_wait(pid_t pid, int *ret_status, struct cx_err *err);

/*
 * Runs argv to its end and collects its standard output, at most max bytes.
 * An end other than exit 0 is io_error with the last line of its standard
 * error.
 */
int cx_spawn_output(const char *const *argv, const char *const *env,
                    size_t max, struct cx_buf *ret, struct cx_err *err);

#endif
