/* tally.c - see tally.h. */
#include "box/tally.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"

/* More processes than any quota has; a tree beyond is counted in part. */
enum { PROCESSES_MAX = 65536, TEXT_BYTES = 4096 };

struct list {
	pid_t *pid;       /* owned */
	size_t count, capacity;
};

static void add(struct list *list, pid_t pid)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? list->capacity * 2 : 64;
		list->pid = cx_mem_grow(list->pid, list->capacity,
		                        sizeof *list->pid);
	}
	list->pid[list->count++] = pid;
}

static void add_children(struct list *list, int task_fd, const char *thread)
{
	char path[64];
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_FD int fd = -1;
	struct cx_err err;
	char *at;

	snprintf(path, sizeof path, "%.20s/children", thread);
	fd = openat(task_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || cx_fd_slurp(fd, 1 << 20, "children", &text, &err) < 0 ||
	    !text.data)
		return;
	for (at = text.data; *at && list->count < PROCESSES_MAX;) {
		char *end = strchr(at, ' ');
		uint64_t pid;

		if (!end)
			return;
		*end = '\0';
		if (cx_num_parse(at, 1, INT32_MAX, &pid))
			add(list, (pid_t)pid);
		at = end + 1;
	}
}

/* A thread's children are its own in /proc, so each thread is asked. */
static void add_all_children(struct list *list, pid_t pid)
{
	char path[48];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	folder = opendir(path);
	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			add_children(list, dirfd(folder), entry->d_name);
	closedir(folder);
}

static void gather(pid_t init_pid, struct list *ret)
{
	add(ret, init_pid);
	for (size_t i = 0; i < ret->count; i++)
		add_all_children(ret, ret->pid[i]);
}

/* utime, stime, cutime, cstime: fields 14 to 17; 2 may hold anything. */
static int64_t ticks_of(pid_t pid)
{
	char path[48];
	char text[TEXT_BYTES];
	const char *at;
	long long used[4];
	CX_AUTO_FD int fd = -1;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : cx_fd_read(fd, text, sizeof text - 1);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
	                  "%lld %lld %lld %lld", &used[0], &used[1], &used[2],
	                  &used[3]) != 4)
		return -1;
	return used[0] + used[1] + used[2] + used[3];
}

int64_t cx_tally_cpu_us(pid_t init_pid)
{
	struct list list = { 0 };
	int64_t ticks = 0;
	int64_t of_init = ticks_of(init_pid);

	if (of_init < 0)
		return -1;
	gather(init_pid, &list);
	for (size_t i = 0; i < list.count; i++) {
		int64_t more = ticks_of(list.pid[i]);

		ticks += more > 0 ? more : 0;
	}
	free(list.pid);
	return ticks * (1000000 / sysconf(_SC_CLK_TCK));
}

struct file {
	ino_t inode;
	blkcnt_t blocks;
};

struct files {
	struct file *file; /* owned */
	size_t count, capacity;
};

static void add_file(struct files *files, const struct stat *found)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->file[i].inode == found->st_ino)
			return;
	if (files->count == files->capacity) {
		files->capacity = files->capacity ? files->capacity * 2 : 16;
		files->file = cx_mem_grow(files->file, files->capacity,
		                          sizeof *files->file);
	}
	files->file[files->count++] = (struct file){ found->st_ino,
		                                     found->st_blocks };
}

/* Followed by stat alone: nothing is opened. */
static void add_deleted(pid_t pid, dev_t device, struct files *files)
{
	char path[48];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	folder = opendir(path);
	if (!folder)
		return;
	while ((entry = readdir(folder))) {
		struct stat found;

		if (entry->d_name[0] != '.' &&
		    fstatat(dirfd(folder), entry->d_name, &found, 0) == 0 &&
		    S_ISREG(found.st_mode) && found.st_dev == device &&
		    found.st_nlink == 0)
			add_file(files, &found);
	}
	closedir(folder);
}

uint64_t cx_tally_deleted_kib(pid_t init_pid, int folder_fd)
{
	struct list list = { 0 };
	struct files files = { 0 };
	struct stat folder;
	uint64_t blocks = 0;

	if (fstat(folder_fd, &folder) < 0)
		return 0;
	gather(init_pid, &list);
	for (size_t i = 1; i < list.count; i++)
		add_deleted(list.pid[i], folder.st_dev, &files);
	for (size_t i = 0; i < files.count; i++)
		blocks += (uint64_t)files.file[i].blocks;
	free(files.file);
	free(list.pid);
	return blocks / 2;
}
