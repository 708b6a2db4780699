/* entry.c - see entry.h. */
#include "store/entry.h"

#include <sys/stat.h>

#include "base/mem.h"

struct cx_entry *cx_entry_add(struct cx_entries *list,
                              const struct cx_entry *entry)
{
	struct cx_entry *made;

	if (list->count == list->capacity) {
		list->capacity = list->capacity ? list->capacity * 2 : 256;
		list->entry = cx_mem_grow(list->entry, list->capacity,
		                          sizeof *list->entry);
	}
	made = &list->entry[list->count++];
	*made = *entry;
	made->path = cx_mem_text(entry->path);
	made->link = entry->link ? cx_mem_text(entry->link) : NULL;
	return made;
}

static void free_texts(struct cx_entry *entry)
{
	free(entry->path);
	free(entry->link);
}

static int by_path(const void *a, const void *b)
{
	const struct cx_entry *one = a, *other = b;

	return strcmp(one->path, other->path);
}

/* Sorting may not reorder twins: their place in the list decides. */
static int by_path_and_place(const void *a, const void *b)
{
	const struct cx_entry *const *one = a, *const *other = b;
	int order = strcmp((*one)->path, (*other)->path);

	if (order)
		return order;
	return (*one > *other) - (*one < *other);
}

void cx_entry_sort(struct cx_entries *list)
{
	const struct cx_entry **place;
	struct cx_entry *sorted;
	size_t kept = 0;

	if (list->count == 0)
		return;
	place = cx_mem_array(list->count, sizeof *place);
	sorted = cx_mem_array(list->count, sizeof *sorted);
	for (size_t i = 0; i < list->count; i++)
		place[i] = &list->entry[i];
	qsort(place, list->count, sizeof *place, by_path_and_place);
	for (size_t i = 0; i < list->count; i++) {
		if (kept && !strcmp(sorted[kept - 1].path, place[i]->path))
			free_texts(&sorted[--kept]);
		sorted[kept++] = *place[i];
	}
	free(place);
	free(list->entry);
	list->entry = sorted;
	list->capacity = list->count;
	list->count = kept;
}

struct cx_entry *cx_entry_find(const struct cx_entries *list, const char *path)
{
	struct cx_entry key = { 0 };
	CX_AUTO_FREE char *copy = cx_mem_text(path);

	key.path = copy;
	if (list->count == 0)
		return NULL;
	return bsearch(&key, list->entry, list->count, sizeof key, by_path);
}

static bool is_at_or_below(const char *path, const char *top)
{
	size_t length = strlen(top);

	return strncmp(path, top, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

void cx_entry_drop(struct cx_entries *list, const char *path)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (is_at_or_below(list->entry[i].path, path))
			free_texts(&list->entry[i]);
		else
			list->entry[kept++] = list->entry[i];
	}
	list->count = kept;
}

/* The link becomes the file; the file a link to it. */
static void swap_roles(struct cx_entry *link, struct cx_entry *file)
{
	free(link->link);
	link->link = NULL;
	link->hard = false;
	link->size = file->size;
	file->link = cx_mem_text(link->path);
	file->hard = true;
	file->size = 0;
}

void cx_entry_relink(struct cx_entries *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct cx_entry *link = &list->entry[i];
		struct cx_entry *file;

		if (!link->hard)
			continue;
		file = cx_entry_find(list, link->link);
		if (!file)
			continue;
		/* the named one may have handed its role to an earlier name */
		if (file->hard) {
			char *first = cx_mem_text(file->link);

			free(link->link);
			link->link = first;
			continue;
		}
		if (file > link)
			swap_roles(link, file);
	}
}

void cx_entry_done(struct cx_entries *list)
{
	for (size_t i = 0; i < list->count; i++)
		free_texts(&list->entry[i]);
	free(list->entry);
	*list = (struct cx_entries){ 0 };
}
