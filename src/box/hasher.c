/* hasher.c - see hasher.h. */
#include "box/hasher.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "sys/clone.h"
#include "sys/sieve.h"

struct cx_hasher_shared {
	struct cx_digest_stream after[CX_HASHER_SLOTS]; /* behind each slot */
	char data[CX_HASHER_SLOTS][CX_HASHER_SLOT_BYTES];
};

static void work(struct cx_hasher *hasher, int fd)
{
	struct cx_hasher_shared *shared = hasher->shared;
	struct cx_hasher_job job;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (cx_sieve_keep(&fd, 1) < 0)
		return;
	while (recv(fd, &job, sizeof job, 0) == sizeof job) {
		struct cx_digest_stream *at = &hasher->digest[job.stream];

		cx_digest_add(at, shared->data[job.slot], job.size);
		shared->after[job.slot] = *at;
		if (send(fd, "d", 1, MSG_NOSIGNAL) < 0)
			return;
	}
}

static bool start(struct cx_hasher *hasher)
{
	int end[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) < 0)
		return false;
	hasher->pid = cx_clone_fork(0, -1);
	if (hasher->pid == 0) {
		work(hasher, end[1]);
		_exit(0);
	}
	hasher->fd = end[0];
	close(end[1]);
	return hasher->pid > 0;
}

bool cx_hasher_start(const struct cx_digest_stream begun[2],
                     struct cx_hasher *ret)
{
	struct cx_hasher hasher = CX_HASHER_NONE;

	hasher.shared = mmap(NULL, sizeof *hasher.shared,
	                     PROT_READ | PROT_WRITE,
	                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (hasher.shared == MAP_FAILED)
		return false;
	hasher.digest[0] = begun[0];
	hasher.digest[1] = begun[1];
	if (start(&hasher)) {
		*ret = hasher;
		return true;
	}
	cx_fd_close_at(&hasher.fd);
	munmap(hasher.shared, sizeof *hasher.shared);
	return false;
}

static unsigned next_slot(const struct cx_hasher *hasher)
{
	return (hasher->first + hasher->count) % CX_HASHER_SLOTS;
}

char *cx_hasher_slot(struct cx_hasher *hasher)
{
	if (hasher->count == CX_HASHER_SLOTS)
		return NULL;
	return hasher->shared->data[next_slot(hasher)];
}

/* The oldest slot is free again. */
static void take_back(struct cx_hasher *hasher)
{
	hasher->first = (hasher->first + 1) % CX_HASHER_SLOTS;
	hasher->count--;
}

/* It is gone: what it didn't do is done here. */
static void do_ourselves(struct cx_hasher *hasher)
{
	cx_fd_close_at(&hasher->fd);
	while (hasher->count > 0) {
		const struct cx_hasher_job *job =
			&hasher->given[hasher->first];

		cx_digest_add(&hasher->digest[job->stream],
		              hasher->shared->data[job->slot], job->size);
		take_back(hasher);
	}
}

/* What can't be sent is done when the end of the socket is heard. */
void cx_hasher_give(struct cx_hasher *hasher, unsigned stream, size_t size)
{
	unsigned slot = next_slot(hasher);
	const struct cx_hasher_job job = { slot, stream, (uint32_t)size };

	hasher->given[slot] = job;
	hasher->count++;
	if (hasher->fd < 0)
		do_ourselves(hasher);
	else
		(void)!send(hasher->fd, &job, sizeof job, MSG_NOSIGNAL);
}

/* A word for each slot, in their order. ECONNRESET comes before the words of
 * a process that went with a job unread. */
void cx_hasher_hear(struct cx_hasher *hasher)
{
	const struct cx_hasher_job *job = &hasher->given[hasher->first];
	char word;
	ssize_t n = recv(hasher->fd, &word, 1, 0);

	if (n < 0 && (errno == EINTR || errno == ECONNRESET))
		return;
	if (n != 1) {
		do_ourselves(hasher);
		return;
	}
	hasher->digest[job->stream] = hasher->shared->after[job->slot];
	take_back(hasher);
}

void cx_hasher_end(struct cx_hasher *hasher, struct cx_digest_stream *out,
                   struct cx_digest_stream *err)
{
	if (!hasher->shared)
		return;
	while (hasher->count > 0)
		cx_hasher_hear(hasher);
	cx_fd_close_at(&hasher->fd);
	cx_clone_wait(hasher->pid);
	*out = hasher->digest[0];
	*err = hasher->digest[1];
	munmap(hasher->shared, sizeof *hasher->shared);
	hasher->shared = NULL;
}
