/* affinity.c - see affinity.h. */
#include "sys/affinity.h"

#include <stdbool.h>
#include <sys/syscall.h>

#include "base/count.h"

enum { WORD_BITS = 8 * sizeof(unsigned long) };

unsigned cx_affinity_width(uint64_t cpu_milli)
{
	uint64_t width = cpu_milli / 1000 + (cpu_milli % 1000 != 0);

	if (width > CX_AFFINITY_CPUS_MAX)
		return CX_AFFINITY_CPUS_MAX;
	return width ? (unsigned)width : 1;
}

static bool has(const struct cx_affinity *mask, unsigned cpu)
{
	return mask->word[cpu / WORD_BITS] >> cpu % WORD_BITS & 1;
}

static unsigned count(const struct cx_affinity *mask, unsigned bits)
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

static void put(struct cx_affinity *mask, unsigned cpu)
{
	mask->word[cpu / WORD_BITS] |= 1UL << cpu % WORD_BITS;
}

static int get(struct cx_affinity *ret)
{
	ret->size = syscall(SYS_sched_getaffinity, 0, sizeof ret->word,
	                    ret->word);
	if (ret->size > 0)
		return 0;
	ret->size = 0;
	return -1;
}

static int set_of(pid_t pid, const struct cx_affinity *mask)
{
	return (int)syscall(SYS_sched_setaffinity, pid, mask->size, mask->word);
}

static int set(const struct cx_affinity *mask)
{
	return set_of(0, mask);
}

void cx_affinity_stay(struct cx_affinity *ret_may)
{
	struct cx_affinity here = { 0 };

	if (get(ret_may) < 0)
		return;
	here.size = ret_may->size;
	put(&here, where());
	if (set(&here) < 0)
		ret_may->size = 0;
}

void cx_affinity_fetch(pid_t other)
{
	struct cx_affinity here = { .size = sizeof here.word };

	put(&here, where());
	set_of(other, &here);
}

void cx_affinity_others(const struct cx_affinity *may,
                        struct cx_affinity *ret)
{
	unsigned here = where();

	ret->size = 0;
	if (may)
		*ret = *may;
	else if (get(ret) < 0)
		return;
	if (here / WORD_BITS < CX_COUNT(ret->word) &&
	    count(ret, (unsigned)ret->size * 8) >= 2)
		ret->word[here / WORD_BITS] &= ~(1UL << here % WORD_BITS);
	else
		ret->size = 0;
}

void cx_affinity_move(pid_t pid, const struct cx_affinity *there)
{
	if (there->size)
		set_of(pid, there);
}

void cx_affinity_roam(const struct cx_affinity *may)
{
	if (may->size)
		set(may); /* it was its own before */
}

int cx_affinity_mirror(const struct cx_affinity *may, uint64_t cpu_milli)
{
	struct cx_affinity own = { 0 };
	struct cx_affinity narrow = { 0 };
	unsigned left = cx_affinity_width(cpu_milli);
	unsigned here = where();
	unsigned bits;

	if (!may || !may->size) {
		if (get(&own) < 0)
			return -1;
		may = &own;
	}
	bits = (unsigned)may->size * 8;
	narrow.size = may->size;
	if (count(may, bits) <= left)
		return set(may);
	for (unsigned i = 0; i < bits && left > 0; i++) {
		unsigned cpu = (here + i) % bits;

		if (!has(may, cpu))
			continue;
		put(&narrow, cpu);
		left--;
	}
	return set(&narrow);
}
