/*
 * mirror.h - where this machine gets Debian from, as its own apt says.
 *
 * Only addresses are taken: apt's files of credentials are never read, and an
 * address that carries some is refused.
 */
#ifndef CX_BUILD_MIRROR_H
#define CX_BUILD_MIRROR_H

#include "build/recipe.h"

struct cx_mirror {
	char *main;     /* the archive; owned */
	char *security; /* its security archive, NULL where there is none */
	char *proxy;    /* apt's http proxy, NULL for none; owned */
};

/* given, when not NULL, stands for the archive; it alone is used then, with
 * its "-security" sibling where the address ends in /debian. Without a Debian
 * source in apt's configuration: exit 69, says what to do. */
int cx_mirror_find(const char *given, struct cx_mirror *ret,
                   struct cx_err *err);

/* The lines of sources.list for a suite, its updates and its security, each
 * owned by the caller; NULL-ended. */
void cx_mirror_lines(const struct cx_mirror *mirror,
                     const struct cx_recipe *recipe, char *ret[4]);

void cx_mirror_done(struct cx_mirror *mirror);
#define CX_AUTO_MIRROR __attribute__((cleanup(cx_mirror_done)))

#endif
