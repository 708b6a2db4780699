/* owner.c - see owner.h. */
#include "store/owner.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/promise.h"

mode_t cx_owner_mode(const struct cx_entry *entry)
{
	mode_t mode = entry->mode & 07777;

	if (!CX_PROMISE(layer_mode_tame, (mode & 07022) == 0))
		mode &= 0755;
	/* the owner reads all, or nobody could build on the layer */
	return mode | (S_ISDIR(entry->mode) ? 0500 : 0400);
}

void cx_owner_keep(int fd, const struct cx_entry *entry)
{
	char text[64];
	int length;

	if (entry->uid == 0 && entry->gid == 0 &&
	    (entry->mode & 07777) == cx_owner_mode(entry))
		return;
	length = snprintf(text, sizeof text, "%u:%u:%04o", entry->uid,
	                  entry->gid, entry->mode & 07777);
	fsetxattr(fd, CX_OWNER_XATTR, text, (size_t)length, 0);
}
