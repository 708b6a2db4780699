/* find.c - see find.h. */
#include "store/find.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "model/margin.h"
#include "store/lines.h"

/* The index of the line that holds the needle at hit. */
static bool index_at(const char *data, size_t size, const char *hit,
                     uint64_t *ret_index)
{
	const char *from = hit, *end;
	struct cx_margin margin;

	while (from > data && from[-1] != '\n')
		from--;
	end = memchr(hit, '\n', size - (size_t)(hit - data));
	if (!end || !cx_margin_read(from, (size_t)(end - from), &margin))
		return false;
	*ret_index = margin.index;
	return true;
}

static bool find_recent(int meta_fd, uint64_t size, const char *needle,
                        uint64_t *ret_index)
{
	char data[CX_FIND_WINDOW];
	uint64_t from = size > sizeof data ? size - sizeof data : 0;
	ssize_t n = pread(meta_fd, data, (size_t)(size - from), (off_t)from);
	const char *hit;

	if (n <= 0)
		return false;
	hit = memmem(data, (size_t)n, needle, strlen(needle));
	return hit && index_at(data, (size_t)n, hit, ret_index);
}

static bool find_whole(int meta_fd, const char *needle, uint64_t *ret_index)
{
	struct cx_lines lines;
	const char *line = NULL;
	size_t size = 0;
	bool found = false;

	cx_lines_open(meta_fd, 0, &lines);
	while (!found && cx_lines_next(&lines, &line, &size) == 1) {
		struct cx_margin margin;

		if (!line || !memmem(line, size, needle, strlen(needle)) ||
		    !cx_margin_read(line, size, &margin))
			continue;
		*ret_index = margin.index;
		found = true;
	}
	cx_lines_done(&lines);
	return found;
}

static bool find_in(int dir_fd, const char *name, const char *needle,
                    bool all, uint64_t *ret_index)
{
	CX_AUTO_FD int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC |
	                           O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	if (all)
		return find_whole(fd, needle, ret_index);
	return find_recent(fd, (uint64_t)st.st_size, needle, ret_index);
}

static bool find_everywhere(int dir_fd, const char *needle,
                            uint64_t *ret_index)
{
	DIR *folder = cx_path_list(dir_fd);
	struct dirent *entry;
	bool found = false;

	if (!folder)
		return false;
	while (!found && (entry = readdir(folder))) {
		uint64_t first;

		if (cx_salvage_number(entry->d_name, "meta", &first))
			found = find_in(dir_fd, entry->d_name, needle, true,
			                ret_index);
	}
	closedir(folder);
	return found;
}

bool cx_find_key(int dir_fd, const struct cx_salvage_files *files,
                 const struct cx_tail *tail, const char *key, bool all,
                 uint64_t *ret_index)
{
	char needle[CX_MARGIN_KEY_MAX + 32];
	char name[32];

	snprintf(needle, sizeof needle, "\"idempotencyKey\":\"%s\",", key);
	if (all)
		return find_everywhere(dir_fd, needle, ret_index);
	if (find_recent(files->meta_fd, tail->meta_bytes, needle, ret_index))
		return true;
	if (tail->meta_bytes >= CX_FIND_WINDOW ||
	    tail->previous == tail->first)
		return false;
	cx_salvage_name(tail->previous, "meta", name);
	return find_in(dir_fd, name, needle, false, ret_index);
}
