/* account.c - see account.h. */
#include "sys/account.h"

#include <pwd.h>

#include "base/num.h"

/* The line of that name, or (name NULL) of that uid. */
static bool look_up(const char *name, uid_t uid, struct cx_account *ret)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *entry;
	bool found = false;

	while (file && !found && (entry = fgetpwent(file))) {
		found = name ? strcmp(entry->pw_name, name) == 0
		             : entry->pw_uid == uid;
		if (!found)
			continue;
		ret->uid = entry->pw_uid;
		ret->gid = entry->pw_gid;
		snprintf(ret->name, sizeof ret->name, "%s", entry->pw_name);
	}
	if (file)
		fclose(file);
	return found;
}

void cx_account_of(uid_t uid, struct cx_account *ret)
{
	*ret = (struct cx_account){ .uid = uid, .gid = uid };
	look_up(NULL, uid, ret);
}

bool cx_account_find(const char *text, struct cx_account *ret)
{
	uint64_t number;

	if (!cx_num_parse(text, 0, UINT32_MAX - 1, &number))
		return look_up(text, 0, ret);
	cx_account_of((uid_t)number, ret);
	return true;
}
