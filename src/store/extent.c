/* extent.c - see extent.h. */
#include "store/extent.h"

#include "base/promise.h"
#include "store/walk.h"

/* Shares of inodes are counted in 2^-20. */
enum { SHARE_BITS = 20 };

struct sum {
	uint64_t bytes;
	uint64_t shares;
};

static void add(struct sum *sum, const struct stat *stat)
{
	uint64_t names = S_ISDIR(stat->st_mode) || stat->st_nlink < 1
	                 ? 1 : stat->st_nlink;

	sum->bytes += (uint64_t)stat->st_blocks * 512 / names;
	sum->shares += (1ULL << SHARE_BITS) / names;
}

static struct cx_extent total(const struct sum *sum)
{
	return (struct cx_extent){
		.kib = (sum->bytes + 1023) / 1024,
		.inodes = (sum->shares + (1ULL << (SHARE_BITS - 1))) >>
		          SHARE_BITS,
	};
}

bool cx_extent_is_over(const struct cx_extent *extent,
                       const struct cx_extent *max)
{
	bool kib = !max->kib || extent->kib <= max->kib;
	bool inodes = !max->inodes || extent->inodes <= max->inodes;

	return !CX_PROMISE(quota_measured, kib && inodes);
}

int cx_extent_measure(int top_fd, const struct cx_extent *max,
                      struct cx_extent *ret)
{
	CX_AUTO_WALK struct cx_walk walk = { 0 };
	struct cx_walk_entry entry;
	struct sum sum = { 0 };
	int got;

	*ret = (struct cx_extent){ 0 };
	if (cx_walk_start(top_fd, false, &walk) < 0)
		return -1;
	while ((got = cx_walk_next(&walk, &entry)) > 0) {
		if (entry.step == CX_WALK_LEAVE)
			continue;
		add(&sum, &entry.stat);
		*ret = total(&sum);
		if (cx_extent_is_over(ret, max))
			return 0;
	}
	return got;
}
