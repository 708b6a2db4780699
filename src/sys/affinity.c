/* affinity.c - see affinity.h. */
#include "sys/affinity.h"

#include <stdbool.h>
#include <sys/syscall.h>

enum { CPUS_MAX = 8192, WORD_BITS = 8 * sizeof(unsigned long) };

struct mask {
	unsigned long word[CPUS_MAX / WORD_BITS];
};

unsigned cx_affinity_width(uint64_t cpu_milli)
{
	uint64_t width = cpu_milli / 1000 + (cpu_milli % 1000 != 0);

	if (width > CPUS_MAX)
		return CPUS_MAX;
	return width ? (unsigned)width : 1;
}

static bool has(const struct mask *mask, unsigned cpu)
{
	return mask->word[cpu / WORD_BITS] >> cpu % WORD_BITS & 1;
}

static unsigned count(const struct mask *mask, unsigned bits)
{
	unsigned n = 0;

	for (unsigned i = 0; i < bits / WORD_BITS; i++)
		n += (unsigned)__builtin_popcountl(mask->word[i]);
	return n;
}

/* sched_getcpu(3) would tell where the process was whose memory this one
 * shares: a move there and back, by the kernel's migration thread. */
static unsigned where(void)
{
	unsigned cpu;

	return syscall(SYS_getcpu, &cpu, NULL, NULL) == 0 ? cpu : 0;
}

int cx_affinity_mirror(uint64_t cpu_milli)
{
	struct mask may = { 0 };
	struct mask narrow = { 0 };
	unsigned left = cx_affinity_width(cpu_milli);
	long size = syscall(SYS_sched_getaffinity, 0, sizeof may, &may);
	unsigned bits = (unsigned)size * 8;
	unsigned here = where();

	if (size < 0)
		return -1;
	if (count(&may, bits) <= left)
		return 0;
	for (unsigned i = 0; i < bits && left > 0; i++) {
		unsigned cpu = (here + i) % bits;

		if (!has(&may, cpu))
			continue;
		narrow.word[cpu / WORD_BITS] |= 1UL << cpu % WORD_BITS;
		left--;
	}
	return (int)syscall(SYS_sched_setaffinity, 0, size, &narrow);
}
