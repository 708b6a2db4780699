/*
 * attempt.h - what the programs share that try, inside a sandbox, to get what
 * mustn't be got (probe.c, escape.c): facts from the outside, an attempt's
 * findings, and the sums. All of it in each program, which is one file.
 */
#ifndef CX_TEST_BOX_ATTEMPT_H
#define CX_TEST_BOX_ATTEMPT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct attempt {
	const char *name;
	void (*attempt)(void);
};

/* FACT=VALUE, from the command line. */
static char **facts;

/* What was got; "" so far. In the child, and read from a pipe by the parent. */
static char found[512];
static size_t open_count;

static inline const char *fact(const char *name)
{
	size_t length = strlen(name);

	for (char **at = facts; *at; at++)
		if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
			return *at + length + 1;
	return "";
}

__attribute__((format(printf, 1, 2)))
static inline void got(const char *format, ...)
{
	size_t used = strlen(found);
	va_list arg;

	if (used + 2 >= sizeof found)
		return;
	if (used)
		used += (size_t)snprintf(found + used, sizeof found - used,
		                         ", ");
	va_start(arg, format);
	vsnprintf(found + used, sizeof found - used, format, arg);
	va_end(arg);
}

/* A system call that must fail. */
static inline void must_fail(const char *name, long result)
{
	if (result >= 0)
		got("%s gave %ld", name, result);
}

/* Some attempts would succeed there, and harm the machine. */
static inline bool is_outside(void)
{
	if (geteuid() != 0 && access("/workspace", F_OK) == 0)
		return false;
	printf("OPEN everything: uid %u, or no /workspace\n",
	       (unsigned)geteuid());
	return true;
}

/* What an attempt found, for people. */
static inline void tell(const char *name)
{
	open_count += *found != '\0';
	printf("%s %s%s%s\n", *found ? "OPEN" : "closed", name,
	       *found ? ": " : "", found);
}

/* The sums of so many attempts; the exit status. */
static inline int add_up(size_t count)
{
	printf("%zu closed, %zu open\n", count - open_count, open_count);
	return open_count != 0;
}

/* A listening UNIX socket at a path or an abstract name, or -1. */
static inline int serve_unix(const char *name, bool abstract)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	size_t size = strlen(name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (size + 1 >= sizeof at.sun_path)
		return -1;
	memcpy(at.sun_path + abstract, name, size);
	if (bind(fd, (struct sockaddr *)&at,
	         (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
	                     size + 1)) < 0 || listen(fd, 64) < 0)
		return -1;
	return fd;
}

#endif
