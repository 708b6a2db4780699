/* corpus.h - a test's function over each file of a folder of test/data. */
#ifndef CX_TEST_CORPUS_H
#define CX_TEST_CORPUS_H

#include <fcntl.h>
#include <stdint.h>
#include <time.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

typedef void corpus_each(const char *path, const char *text, size_t size);

static inline char *corpus_load(const char *path, size_t *ret_size)
{
	struct cx_buf text = { 0 };
	struct cx_err err;

	if (cx_fd_load(AT_FDCWD, path, 1 << 24, &text, &err) < 0) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		abort();
	}
	*ret_size = text.size;
	return cx_buf_take(&text);
}

/* The number of files below folder whose names end in suffix. */
static inline size_t corpus_walk(const char *folder, const char *suffix,
                                 corpus_each *each)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t count = 0;

	while (dir && (entry = readdir(dir))) {
		CX_AUTO_FREE char *path = NULL, *text = NULL;
		size_t size;

		if (!cx_str_ends(entry->d_name, suffix))
			continue;
		path = cx_mem_print("%s/%s", folder, entry->d_name);
		text = corpus_load(path, &size);
		each(path, text, size);
		count++;
	}
	if (dir)
		closedir(dir);
	return count;
}

/* How much slower sanitizers make us, for bounds on time. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CORPUS_SLOWER 10
#endif
#endif
#if !defined(CORPUS_SLOWER) && defined(__SANITIZE_ADDRESS__)
#define CORPUS_SLOWER 10
#endif
#ifndef CORPUS_SLOWER
#define CORPUS_SLOWER 1
#endif

/* CPU time of this process: how busy the machine is doesn't matter. */
static inline int64_t corpus_cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

#endif
