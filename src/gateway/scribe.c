/* scribe.c - see scribe.h. */
#include "gateway/scribe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "gateway/enclosure.h"
#include "gateway/ledger.h"
#include "sys/clone.h"
#include "sys/sieve.h"

enum {
	PIPE_BYTES = 256 * 1024,
	BATCH_BYTES = 64 * 1024,
	END_MS = 500,
	GATHER_MS = 10,
	STANDARD_ERROR = 2,
};

/* The process's own. */
struct desk {
	struct cx_ledger ledger;
	int in_fd;
	uint64_t lost;     /* lines, since one was written */
	bool said;         /* that lines are lost, since the last turn */
	size_t have;
	char batch[BATCH_BYTES];
};

void cx_scribe_time(int64_t wall_ms, char ret[CX_SCRIBE_TIME_BYTES])
{
	char second[21];

	cx_clock_text(wall_ms / 1000, second);
	snprintf(ret, CX_SCRIBE_TIME_BYTES, "%.19s.%03uZ", second,
	         (unsigned)((uint64_t)wall_ms % 1000));
}

size_t cx_scribe_loss(uint64_t lost, char ret[CX_SCRIBE_LOSS_BYTES])
{
	char now[CX_SCRIBE_TIME_BYTES];

	cx_scribe_time(cx_clock_wall_ms(), now);
	return (size_t)snprintf(ret, CX_SCRIBE_LOSS_BYTES,
	                        "{\"time\":\"%s\",\"dropped\":%" PRIu64 "}\n",
	                        now, lost);
}

/* ---- the process --------------------------------------------------------- */

static void say(struct desk *desk, int sys)
{
	char text[512];
	int size;

	if (desk->said)
		return;
	desk->said = true;
	size = snprintf(text, sizeof text, "cx-gateway: the log %.255s can't "
	                "be written: %s; what is lost is counted\n",
	                desk->ledger.site.name, strerror(sys));
	if (size > 0 && write(STANDARD_ERROR, text, (size_t)size) < 0)
		return; /* nobody is there to be told */
}

static uint64_t count_lines(const char *lines, size_t size)
{
	uint64_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += lines[i] == '\n';
	return count;
}

static void add(struct desk *desk, const char *lines, size_t size)
{
	char loss[CX_SCRIBE_LOSS_BYTES];
	size_t length, done = 0;

	if (desk->lost > 0) {
		length = cx_scribe_loss(desk->lost, loss);
		if (cx_ledger_add(&desk->ledger, loss, length) == length)
			desk->lost = 0;
	}
	if (desk->lost == 0)
		done = cx_ledger_add(&desk->ledger, lines, size);
	if (done == size)
		return;
	say(desk, errno);
	desk->lost += count_lines(lines + done, size - done);
}

/* "=MAX_BYTES KEEP": see cx_scribe_turn. */
static void turn(struct desk *desk, char *line)
{
	char *space = strchr(line, ' ');
	uint64_t max_bytes, keep;

	if (space)
		*space++ = '\0';
	if (space && cx_num_parse(line + 1, 1, UINT64_MAX, &max_bytes) &&
	    cx_num_parse(space, 0, UINT64_MAX, &keep)) {
		desk->said = false;
		if (cx_ledger_turn(&desk->ledger, max_bytes, keep) < 0)
			say(desk, errno);
	}
}

/* The whole lines of the batch; what is behind them comes to the front. */
static void work_off(struct desk *desk)
{
	char *from = desk->batch, *end = desk->batch + desk->have;
	char *at = from, *stop;

	while ((stop = memchr(at, '\n', (size_t)(end - at)))) {
		if (*at == '=') {
			add(desk, from, (size_t)(at - from));
			*stop = '\0';
			turn(desk, at);
			from = stop + 1;
		}
		at = stop + 1;
	}
	add(desk, from, (size_t)(at - from));
	desk->have = (size_t)(end - at);
	memmove(desk->batch, at, desk->have);
}

/* Lines that come close together are written together; the end, which is all
 * that poll tells here, waits for nothing. */
static _Noreturn void run(struct desk *desk)
{
	struct pollfd end = { desk->in_fd, 0, 0 };
	ssize_t n;

	do {
		n = read(desk->in_fd, desk->batch + desk->have,
		         sizeof desk->batch - desk->have);
		if (n <= 0)
			continue;
		desk->have += (size_t)n;
		work_off(desk);
		poll(&end, 1, GATHER_MS);
	} while (n > 0 || (n < 0 && errno == EINTR));
	add(desk, desk->batch, 0);
	_exit(0);
}

/* Nothing of the gateway's own stays: no socket, no memory that is readable
 * by others, no signal that ends it before its work is done. */
static _Noreturn void become(struct desk *desk, int alive_fd)
{
	int keep[] = { STANDARD_ERROR, desk->in_fd, alive_fd, desk->ledger.fd,
		       desk->ledger.site.folder_fd };
	const struct cx_enclosure_wish wish = { .door_fd = -1,
		                                .log = &desk->ledger.site };
	struct cx_err err = { 0 };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "cx-gateway-log");
	if (cx_sieve_keep(keep, CX_COUNT(keep)) < 0 ||
	    cx_enclosure_enter(&wish, &err) < 0) {
		say(desk, err.sys ? err.sys : errno);
		_exit(1);
	}
	run(desk);
}

/* ---- the gateway's side -------------------------------------------------- */

static int make_pipes(int ret_lines[2], int ret_alive[2])
{
	if (pipe2(ret_lines, O_CLOEXEC) < 0)
		return -1;
	fcntl(ret_lines[1], F_SETPIPE_SZ, PIPE_BYTES);
	if (fcntl(ret_lines[1], F_SETFL, O_NONBLOCK) == 0 &&
	    pipe2(ret_alive, O_CLOEXEC) == 0)
		return 0;
	close(ret_lines[0]);
	close(ret_lines[1]);
	return -1;
}

static int begin(struct desk *desk, struct cx_scribe *ret, struct cx_err *err)
{
	int lines[2], alive[2];
	pid_t pid;

	if (make_pipes(lines, alive) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "make a pipe");
	desk->in_fd = lines[0];
	pid = cx_clone_fork(0, -1);
	if (pid == 0)
		become(desk, alive[1]);
	close(lines[0]);
	close(alive[1]);
	*ret = (struct cx_scribe){ .fd = lines[1], .alive_fd = alive[0] };
	if (pid > 0)
		return 0;
	cx_scribe_done(ret);
	return cx_err_sys(err, CX_E_IO_ERROR, "make the log's process");
}

int cx_scribe_start(const struct cx_logsite *site, struct cx_scribe *ret,
                    struct cx_err *err)
{
	CX_AUTO_FREE struct desk *desk = cx_mem_new(sizeof *desk);
	int done;

	*ret = CX_SCRIBE_NONE;
	if (cx_ledger_open(site, &desk->ledger) < 0) {
		cx_err_sys(err, CX_E_CONFIG_INVALID, "open the log %.255s "
		           "(a file of our own, of one name)", site->name);
		return cx_err_at(err, "/egress/log/path");
	}
	done = begin(desk, ret, err);
	cx_ledger_done(&desk->ledger);
	return done;
}

bool cx_scribe_take(const struct cx_scribe *scribe, const char *lines,
                    size_t size)
{
	return write(scribe->fd, lines, size) == (ssize_t)size;
}

bool cx_scribe_turn(const struct cx_scribe *scribe, uint64_t max_bytes,
                    uint64_t keep)
{
	char line[64];
	int size = snprintf(line, sizeof line, "=%" PRIu64 " %" PRIu64 "\n",
	                    max_bytes, keep);

	return cx_scribe_take(scribe, line, (size_t)size);
}

void cx_scribe_done(struct cx_scribe *scribe)
{
	struct pollfd one = { scribe->alive_fd, POLLIN, 0 };

	cx_fd_close_at(&scribe->fd);
	if (scribe->alive_fd >= 0)
		poll(&one, 1, END_MS);
	cx_fd_close_at(&scribe->alive_fd);
}
