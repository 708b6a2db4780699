/*
 * entry.h - what stands in a layer: a list of paths with their facts, apart
 * from the bytes, which lie in an unpacked folder.
 */
#ifndef CX_STORE_ENTRY_H
#define CX_STORE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cx_entry {
	char *path;       /* owned; relative, plain; "" is the root */
	char *link;       /* owned; a symbolic link's target, or (hard) the
	                     path that this is another name of; else NULL */
	bool hard;
	mode_t mode;      /* type and permissions, setuid and all */
	uint32_t uid, gid;
	int64_t mtime;    /* seconds */
	uint64_t size;    /* regular files */
};

struct cx_entries {
	struct cx_entry *entry; /* owned */
	size_t count, capacity;
};

/* Appends a copy of *entry and of its texts; the place is good until the next
 * addition. */
struct cx_entry *cx_entry_add(struct cx_entries *list,
                              const struct cx_entry *entry);

/* Sorts by the bytes of the path. Of several with one path (folders named
 * again) the last one added stays. Afterwards cx_entry_find works. */
void cx_entry_sort(struct cx_entries *list);

/* In a sorted list; NULL when it isn't there. */
struct cx_entry *cx_entry_find(const struct cx_entries *list, const char *path);

/* Drops every entry of this path, and of all below it; the list may be
 * unsorted. */
void cx_entry_drop(struct cx_entries *list, const char *path);

/*
 * In a sorted list: makes the first name of each file the file, and the others
 * hard links to it, so that no link comes before what it names.
 */
void cx_entry_relink(struct cx_entries *list);

void cx_entry_done(struct cx_entries *list);

#endif
