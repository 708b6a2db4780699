/* names.c - see names.h. */
#include "store/names.h"

#include "base/mem.h"

struct cx_name {
	uint64_t inode;
	char *path; /* owned; NULL: free */
};

static struct cx_name *find(struct cx_name *slot, size_t capacity,
                            uint64_t inode)
{
	size_t at = (size_t)(inode * 0x9e3779b97f4a7c15ULL) & (capacity - 1);

	while (slot[at].path && slot[at].inode != inode)
		at = (at + 1) & (capacity - 1);
	return &slot[at];
}

static void grow(struct cx_names *names)
{
	size_t capacity = names->capacity ? names->capacity * 2 : 64;
	struct cx_name *slot = cx_mem_array(capacity, sizeof *slot);

	for (size_t i = 0; i < names->capacity; i++)
		if (names->slot[i].path)
			*find(slot, capacity, names->slot[i].inode) =
				names->slot[i];
	free(names->slot);
	names->slot = slot;
	names->capacity = capacity;
}

int cx_names_meet(struct cx_names *names, uint64_t inode, const char *path,
                  const char **ret_first)
{
	size_t size = strlen(path) + 1;
	struct cx_name *slot;

	if (names->count * 2 >= names->capacity)
		grow(names);
	slot = find(names->slot, names->capacity, inode);
	*ret_first = slot->path;
	if (slot->path)
		return 1;
	if (names->count == CX_NAMES_MAX ||
	    names->bytes + size > CX_NAMES_MAX_BYTES)
		return -1;
	*slot = (struct cx_name){ inode, cx_mem_text(path) };
	names->count++;
	names->bytes += size;
	return 0;
}

void cx_names_done(struct cx_names *names)
{
	for (size_t i = 0; i < names->capacity; i++)
		free(names->slot[i].path);
	free(names->slot);
	*names = (struct cx_names){ 0 };
}
