/* untouched.c - see untouched.h. */
#include "sys/untouched.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/str.h"

enum { FILE_BYTES = 32768, NAPS_MAX = 40, NAP_NS = 1000 * 1000 };

static const struct {
	const char *name;
	/* all that it is to begin with: the rest tells of the whole machine,
	 * and our own sockets, just closed, count for a moment still */
	const char *begins;
	bool may_lack;    /* a kernel without it has nothing to tell there */
} file[CX_UNTOUCHED_FILES] = {
	{ "dev", NULL, false },  /* packets of each link */
	{ "snmp", NULL, false }, /* what IP, ICMP, TCP and UDP did */
	{ "netstat", NULL, false },
	{ "sockstat", "sockets: used 0\n", false }, /* of whatever kind */
	{ "unix", NULL, true },
	{ "snmp6", NULL, true },
	{ "ip6_flowlabel", NULL, true },
	{ "igmp", NULL, true },
	{ "igmp6", NULL, true },
	{ "packet", NULL, true },
};

/* Appends the file from its start. */
static int load(int fd, struct cx_buf *ret)
{
	char *text = cx_buf_room(ret, FILE_BYTES + 1);
	size_t size = 0;
	ssize_t n = 1;

	while (n > 0 && size < FILE_BYTES) {
		n = pread(fd, text + size, FILE_BYTES - size, (off_t)size);
		if (n < 0)
			return -1;
		size += (size_t)n;
	}
	if (size == FILE_BYTES) {
		errno = EFBIG;
		return -1;
	}
	ret->size += size;
	text[size] = '\0';
	return 0;
}

static bool same(const struct cx_buf *was, const struct cx_buf *now)
{
	return now->size == was->size &&
	       memcmp(now->data, was->data, now->size) == 0;
}

int cx_untouched_start(pid_t pid, struct cx_untouched *ret)
{
	char path[64];

	for (size_t i = 0; i < CX_UNTOUCHED_FILES; i++) {
		ret->fd[i] = -1;
		ret->text[i] = (struct cx_buf){ 0 };
	}
	for (size_t i = 0; i < CX_UNTOUCHED_FILES; i++) {
		snprintf(path, sizeof path, "/proc/%d/net/%s", (int)pid,
		         file[i].name);
		ret->fd[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (ret->fd[i] < 0 && errno == ENOENT && file[i].may_lack)
			continue;
		if (ret->fd[i] < 0 ||
		    load(ret->fd[i], &ret->text[i]) < 0)
			return -1;
	}
	return 0;
}

/* A socket that was closed is freed, and counts, a grace period of RCU later:
 * some are waited for a moment. */
static bool settles(int fd, const char *begins)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	CX_AUTO_BUF struct cx_buf now = { 0 };

	for (int i = 0; i < NAPS_MAX; i++) {
		cx_buf_clear(&now);
		if (load(fd, &now) < 0)
			return false;
		if (now.data && cx_str_starts(now.data, begins))
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

bool cx_untouched_is(const struct cx_untouched *was)
{
	CX_AUTO_BUF struct cx_buf now = { 0 };

	for (size_t i = 0; i < CX_UNTOUCHED_FILES; i++) {
		cx_buf_clear(&now);
		if (was->fd[i] < 0)
			continue;
		if (file[i].begins ? !settles(was->fd[i], file[i].begins)
		    : load(was->fd[i], &now) < 0 ||
		      !same(&was->text[i], &now))
			return false;
	}
	return true;
}

void cx_untouched_done(struct cx_untouched *was)
{
	for (size_t i = 0; i < CX_UNTOUCHED_FILES; i++) {
		cx_fd_close_at(&was->fd[i]);
		cx_buf_done(&was->text[i]);
	}
}
