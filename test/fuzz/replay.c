/*
 * replay.c - runs a fuzzer's function over stored inputs, without libFuzzer.
 *
 *     replay FILE-OR-FOLDER...    folders with all below them
 *
 * One TAP line for each argument. A fuzzer that finds a fault aborts, and the
 * line that was to come names the input on standard error.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX_BYTES = 1 << 24, PATH_MAX_BYTES = 4096 };

/* The input being run, for the message of an abort. */
static char running[PATH_MAX_BYTES];

static void say_input(int signal_number)
{
	(void)signal_number;
	if (write(STDERR_FILENO, running, strlen(running)) > 0 &&
	    write(STDERR_FILENO, ": fault\n", 8) > 0)
		_exit(1);
	_exit(1);
}

static void run_file(const char *path)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_FREE uint8_t *exact = NULL;
	struct cx_err err;

	if (cx_fd_load(AT_FDCWD, path, INPUT_MAX_BYTES, &text, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(66);
	}
	snprintf(running, sizeof running, "%s", path);
	/* A buffer of exactly that size, so that sanitizers see an overrun. */
	exact = cx_mem_array(text.size ? text.size : 1, 1);
	if (text.size)
		memcpy(exact, text.data, text.size);
	LLVMFuzzerTestOneInput(exact, text.size);
}

static size_t run_path(const char *path)
{
	size_t count = 0;
	struct dirent *entry;
	struct stat found;
	DIR *dir;

	if (stat(path, &found) < 0 || !S_ISDIR(found.st_mode)) {
		run_file(path);
		return 1;
	}
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		CX_AUTO_FREE char *below = cx_mem_print("%s/%s", path,
		                                        entry->d_name);

		if (entry->d_name[0] != '.')
			count += run_path(below);
	}
	if (dir)
		closedir(dir);
	return count;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');

	signal(SIGABRT, say_input);
	for (int i = 1; i < argc; i++) {
		size_t count = run_path(argv[i]);

		printf("%s %d - %s: %zu inputs of %s\n",
		       count ? "ok" : "not ok", i, name ? name + 1 : argv[0],
		       count, argv[i]);
	}
	printf("1..%d\n", argc - 1);
	return 0;
}
