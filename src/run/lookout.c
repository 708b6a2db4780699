/* lookout.c - see lookout.h. */
#include "run/lookout.h"

#include <sys/vfs.h>

#include "base/clock.h"
#include "box/tally.h"

enum {
	LOOK_MIN_US = 500,
	LOOK_MAX_US = 250 * 1000,
	WALK_MIN_US = 500 * 1000,
	WALK_SHARE = 20,        /* a twentieth of the time at most */
	LOOK_SHARE = 10,
	FILL_KIB_PER_US = 2,    /* as fast as a disk cache is filled */
};

void cx_lookout_start(int data_fd, const struct cx_extent *max,
                      struct cx_lookout *ret)
{
	*ret = (struct cx_lookout){ .data_fd = data_fd, .max = *max };
}

static struct cx_extent file_system(int fd)
{
	struct statfs stat = { 0 };

	if (fstatfs(fd, &stat) < 0)
		return (struct cx_extent){ 0, 0 };
	return (struct cx_extent){
		.kib = (stat.f_blocks - stat.f_bfree) *
		       ((uint64_t)stat.f_bsize / 512) / 2,
		.inodes = stat.f_files - stat.f_ffree,
	};
}

static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* The walk fails where folders move under it; what it counted until then is a
 * lower bound. */
static bool walk(struct cx_lookout *lookout, pid_t init)
{
	int64_t before = cx_clock_mono_us();
	uint64_t deleted = cx_tally_deleted_kib(init, lookout->data_fd);

	(void)cx_extent_measure(lookout->data_fd, &lookout->max,
	                        &lookout->last);
	lookout->last.kib += deleted;
	lookout->cost_us = cx_clock_mono_us() - before;
	lookout->walk_us = before + lookout->cost_us * WALK_SHARE;
	if (lookout->walk_us < before + WALK_MIN_US)
		lookout->walk_us = before + WALK_MIN_US;
	return cx_extent_is_over(&lookout->last, &lookout->max);
}

int64_t cx_lookout_look(struct cx_lookout *lookout, pid_t init)
{
	struct cx_extent used = file_system(lookout->data_fd);
	struct cx_extent most = {
		lookout->last.kib + grown(used.kib, lookout->used.kib),
		lookout->last.inodes + grown(used.inodes,
		                             lookout->used.inodes),
	};
	int64_t pause;

	lookout->cost_us = 0;
	if (cx_clock_mono_us() >= lookout->walk_us ||
	    cx_extent_is_over(&most, &lookout->max)) {
		if (walk(lookout, init))
			return -1;
		lookout->used = used;
		most = lookout->last;
	}
	pause = (int64_t)grown(lookout->max.kib, most.kib) / FILL_KIB_PER_US;
	if (pause < LOOK_MIN_US)
		pause = LOOK_MIN_US;
	if (pause > LOOK_MAX_US)
		pause = LOOK_MAX_US;
	return pause > lookout->cost_us * LOOK_SHARE
	       ? pause : lookout->cost_us * LOOK_SHARE;
}
