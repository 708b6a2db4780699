/*
 * account.h - users by name, from /etc/passwd alone.
 *
 * Not by getpwnam(3): that loads whatever nsswitch.conf names into the tool,
 * which is linked statically. A user of a directory has a number, and that
 * does everywhere.
 */
#ifndef CX_SYS_ACCOUNT_H
#define CX_SYS_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cx_account {
	uid_t uid;
	gid_t gid;
	char name[64]; /* "" when the file has none for that number */
};

/* The account of a name, or of a number, which needn't be in the file (its
 * group is then of the same number). False when there is no such name. */
bool cx_account_find(const char *text, struct cx_account *ret);

/* The account of a uid. */
void cx_account_of(uid_t uid, struct cx_account *ret);

#endif
