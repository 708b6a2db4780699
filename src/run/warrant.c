/* warrant.c - see warrant.h. */
#include "run/warrant.h"

#include <limits.h>
#include <sys/stat.h>

#include "base/promise.h"
#include "sys/idmap.h"

enum { OVERFLOW_UID = 65534 };

/* In a namespace that doesn't map root, root's files are the overflow uid's. */
static bool is_ours(uid_t owner)
{
	return owner == 0 || owner == geteuid() ||
	       (owner == OVERFLOW_UID && !cx_idmap_is_privileged());
}

static bool is_safe(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return true;
	return is_ours(st.st_uid) &&
	       ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0 ||
	        (S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX)));
}

bool cx_warrant_holds(const char *path)
{
	char real[PATH_MAX];

	if (!realpath(path, real))
		return true;
	for (char *end = real + strlen(real); end > real; end--) {
		if (*end && *end != '/')
			continue;
		*end = '\0';
		if (!CX_PROMISE(hook_own, is_safe(real)))
			return false;
	}
	return CX_PROMISE(hook_own, is_safe("/"));
}
