/* sieve.c - see sieve.h. */
#include "sys/sieve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "base/num.h"

static void sort(int *keep, size_t count)
{
	for (size_t i = 1; i < count; i++)
		for (size_t j = i; j > 0 && keep[j] < keep[j - 1]; j--) {
			int swapped = keep[j];

			keep[j] = keep[j - 1];
			keep[j - 1] = swapped;
		}
}

static int close_gaps(const int *keep, size_t count)
{
	unsigned from = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned at;

		if (keep[i] < 0 || (unsigned)keep[i] < from)
			continue;
		at = (unsigned)keep[i];
		if (at > from &&
		    syscall(SYS_close_range, from, at - 1, 0) < 0)
			return -1;
		from = at + 1;
	}
	return (int)syscall(SYS_close_range, from, UINT_MAX, 0);
}

static bool is_kept(const int *keep, size_t count, int fd)
{
	for (size_t i = 0; i < count; i++)
		if (keep[i] == fd)
			return true;
	return false;
}

struct entry64 {
	unsigned long long inode;
	long long offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* One buffer of entries; *ret_closed counts what was closed. */
static void close_listed(const char *buffer, long size, int folder,
                         const int *keep, size_t count, unsigned *ret_closed)
{
	for (long at = 0; at < size;) {
		const struct entry64 *entry = (const void *)(buffer + at);
		uint64_t number;

		at += entry->length;
		if (!cx_num_parse(entry->name, 0, INT_MAX, &number) ||
		    (int)number == folder ||
		    is_kept(keep, count, (int)number))
			continue;
		close((int)number);
		(*ret_closed)++;
	}
}

/* Without close_range. The listing changes while it is walked, so it is walked
 * until nothing was left to close. */
static int close_by_list(const int *keep, size_t count)
{
	char buffer[4096] __attribute__((aligned(8)));
	unsigned closed = 1;

	while (closed > 0) {
		int folder = open("/proc/self/fd",
		                  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		long n;

		if (folder < 0)
			return -1;
		closed = 0;
		while ((n = syscall(SYS_getdents64, folder, buffer,
		                    sizeof buffer)) > 0)
			close_listed(buffer, n, folder, keep, count, &closed);
		close(folder);
		if (n < 0)
			return -1;
	}
	return 0;
}

int cx_sieve_keep(int *keep, size_t count)
{
	sort(keep, count);
	if (close_gaps(keep, count) == 0)
		return 0;
	return errno == ENOSYS ? close_by_list(keep, count) : -1;
}
