/* outer.c - see outer.h. */
#include "run/outer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "store/lock.h"

enum { TABLE_MAX_BYTES = 1 << 20 };

#define FIRST 1610612736U /* 0x60000000 */
#define COUNT 65536U

struct range { uint64_t first, count; };

static const char *next_line(const char *at)
{
	const char *end = strchr(at, '\n');

	return end ? end + 1 : at + strlen(at);
}

/* The end of an entry "name:first:count" that meets the range; 0: none. */
static uint64_t meets(const char *table, const struct range *range)
{
	for (const char *at = table; *at; at = next_line(at)) {
		struct range entry;

		if (sscanf(at, "%*[^:\n]:%" SCNu64 ":%" SCNu64, &entry.first,
		           &entry.count) != 2)
			continue;
		if (entry.first < range->first + range->count &&
		    range->first < entry.first + entry.count)
			return entry.first + entry.count;
	}
	return 0;
}

/* Ends of entries that meet the range, of users' and of groups'. */
static uint64_t meets_any(const struct cx_buf table[2],
                          const struct range *range)
{
	uint64_t end = 0;

	for (size_t i = 0; i < 2 && !end; i++)
		end = table[i].data ? meets(table[i].data, range) : 0;
	return end;
}

/* Moves up until no entry meets the range. */
static int choose(struct range *ret, struct cx_err *err)
{
	struct cx_buf table[2] = { { 0 }, { 0 } };
	struct range range = { FIRST, COUNT };
	struct cx_err ignored;
	uint64_t end;

	/* a table that isn't there has no entries */
	cx_fd_load(AT_FDCWD, "/etc/subuid", TABLE_MAX_BYTES, &table[0],
	           &ignored);
	cx_fd_load(AT_FDCWD, "/etc/subgid", TABLE_MAX_BYTES, &table[1],
	           &ignored);
	while ((end = meets_any(table, &range)) != 0)
		range.first = end;
	cx_buf_done(&table[0]);
	cx_buf_done(&table[1]);
	*ret = range;
	if (range.first + range.count < UINT32_MAX)
		return 0;
	return cx_err_set(err, CX_E_CONFIG_INVALID, "/etc/subuid leaves no "
	                  "uids free; set uid_range in the configuration");
}

static int open_leases(const struct cx_state *state, int *ret_fd,
                       struct cx_err *err)
{
	CX_AUTO_FD int run = -1;

	if (cx_state_folder(state, CX_STATE_RUN, &run, err) < 0)
		return -1;
	*ret_fd = openat(run, "uids", O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	                 O_CLOEXEC);
	if (*ret_fd < 0 && errno == ENOENT) {
		if (mkdirat(run, "uids", 0700) == 0 || errno == EEXIST)
			*ret_fd = openat(run, "uids", O_RDONLY | O_DIRECTORY |
			                 O_NOFOLLOW | O_CLOEXEC);
	}
	if (*ret_fd < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "open run/uids");
	return 0;
}

/* Another state folder's leases aren't seen from here; so that two of them
 * hardly meet, each begins at a place of its own. */
static uint64_t first_try(int leases_fd, uint64_t count)
{
	struct stat stat;

	if (fstat(leases_fd, &stat) < 0)
		return 0;
	return (stat.st_ino * 0x9e3779b97f4a7c15ULL >> 32) % count;
}

int cx_outer_take(const struct cx_state *state, const struct cx_config *config,
                  uid_t *ret_uid, int *ret_lease, struct cx_err *err)
{
	struct range range = { config->uid_first, config->uid_count };
	CX_AUTO_FD int leases = -1;
	uint64_t start;
	char name[16];

	if (range.count == 0 && choose(&range, err) < 0)
		return -1;
	if (open_leases(state, &leases, err) < 0)
		return -1;
	start = first_try(leases, range.count);
	for (uint64_t i = 0; i < range.count; i++) {
		*ret_uid = (uid_t)(range.first + (start + i) % range.count);
		snprintf(name, sizeof name, "%u", *ret_uid);
		if (cx_lock_take(leases, name, CX_LOCK_EXCLUSIVE, false,
		                 ret_lease, err) == 0)
			return 0;
		if (err->code != CX_E_STORE_BUSY)
			return -1;
	}
	return cx_err_set(err, CX_E_STORE_BUSY,
	                  "all %u uids of uid_range are in use",
	                  (unsigned)range.count);
}
