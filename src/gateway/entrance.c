/* entrance.c - see entrance.h. */
#include "gateway/entrance.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "gateway/arrival.h"
#include "gateway/farewell.h"
#include "gateway/oracle.h"
#include "gateway/original.h"
#include "gateway/request.h"
#include "gateway/visit.h"

enum {
	ACCEPTS = 64,          /* in one go */
	FULL = 503,
	FEW = 8,               /* connections that any job may have */
	SHARE = 3,             /* of what is free, for a job that has more */
	PAUSE_NS = 1000000,
};

/* Who finds no place is told so: by a word at a proxy's listener. */
static void turn_away(struct cx_flow *flow, bool proxy, int fd)
{
	char word[1024];
	size_t size = cx_farewell_word(FULL, "full", false, word,
	                               sizeof word);

	flow->refused_full++;
	if (!proxy) {
		cx_original_refuse(fd);
		return;
	}
	/* what he sent is taken first, or the reset overtakes the word */
	recv(fd, NULL, SIZE_MAX / 4, MSG_TRUNC | MSG_DONTWAIT);
	send(fd, word, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	shutdown(fd, SHUT_WR);
	close(fd);
}

/* No descriptor is left: one is kept to say so with. */
static void say_full(struct cx_flow *flow, struct cx_job_listener *listener)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	int fd;

	cx_fd_close_at(&flow->spare_fd);
	fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		turn_away(flow, listener->role == CX_PORTAL_PROXY, fd);
	else
		nanosleep(&pause, NULL); /* memory: it won't get better now */
	flow->spare_fd = fcntl(flow->epoll_fd, F_DUPFD_CLOEXEC, 3);
}

static uint32_t less(uint32_t all, uint32_t used)
{
	return used < all ? all - used : 0;
}

bool cx_entrance_has_room(const struct cx_flow *flow, const struct cx_job *job)
{
	const struct cx_tunnel_table *tunnels = &flow->tunnels;
	uint64_t free = less(tunnels->count, tunnels->used);
	uint64_t ends = less(flow->descriptors,
	                     tunnels->used + tunnels->origins);

	if (ends < free)
		free = ends;
	return job->open < job->tunnels_max &&
	       (job->open < FEW || job->open < SHARE * free);
}

/* A place and a slot for a connection; NULL: it was turned away. */
static struct cx_tunnel *admit(struct cx_flow *flow,
                               struct cx_job_listener *listener, int fd)
{
	struct cx_job *job = listener->job;
	struct cx_tunnel *tunnel = NULL;
	struct cx_slot *slot = NULL;

	if (!job || cx_entrance_has_room(flow, job))
		tunnel = cx_tunnel_take(&flow->tunnels);
	if (tunnel)
		slot = cx_slots_take(&flow->slots);
	if (!slot) {
		if (tunnel)
			cx_tunnel_give(&flow->tunnels, tunnel);
		turn_away(flow, listener->role == CX_PORTAL_PROXY, fd);
		return NULL;
	}
	tunnel->slot = slot;
	tunnel->listener = listener;
	tunnel->end[CX_CLIENT] = (struct cx_end){
		.fd = fd, .readable = true, .writable = true,
	};
	if (job)
		cx_tunnel_hang(tunnel, job);
	cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_HEAD);
	if (cx_flow_watch_end(flow, tunnel, CX_CLIENT) == 0)
		return tunnel;
	cx_farewell_close(flow, tunnel);
	return NULL;
}

static void begin_proxy(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	tunnel->state = CX_TUNNEL_HEAD;
	cx_head_begin(&tunnel->slot->head);
	cx_request_read(flow, tunnel);
}

static void begin_transparent(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	tunnel->state = CX_TUNNEL_HEAD;
	tunnel->transparent = true;
	if (cx_arrival_read(tunnel->end[CX_CLIENT].fd,
	                    tunnel->listener->redirected, tunnel->job->alias,
	                    &tunnel->slot->target) < 0)
		cx_farewell_reset(flow, tunnel);
	else
		cx_request_arrive(flow, tunnel);
}

static void begin(struct cx_flow *flow, struct cx_job_listener *listener,
                  int fd)
{
	const int on = 1;
	struct cx_tunnel *tunnel = admit(flow, listener, fd);

	if (!tunnel)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	switch (listener->role) {
	case CX_PORTAL_PROXY:
		begin_proxy(flow, tunnel);
		break;
	case CX_PORTAL_ANY:
	case CX_PORTAL_PORT:
		begin_transparent(flow, tunnel);
		break;
	case CX_PORTAL_DNS_TCP:
		tunnel->state = CX_TUNNEL_ASK;
		tunnel->transparent = true; /* no words of HTTP */
		cx_entrance_ask(flow, tunnel);
		break;
	case CX_PORTAL_DNS_UDP:
		cx_farewell_close(flow, tunnel);
		break;
	}
}

/* Who asks the resolver, as it is told of what he may not have. */
struct asking {
	struct cx_flow *flow;
	struct cx_job *job;
};

static void refuse_name(void *context, const char *name)
{
	struct asking *asking = context;

	cx_visit_refuse_name(asking->flow, asking->job, name);
}

static struct cx_oracle_asker asker_of(struct asking *asking)
{
	return (struct cx_oracle_asker){
		.policy = &asking->job->policy, .book = asking->job->alias,
		.refused = refuse_name, .context = asking,
	};
}

void cx_entrance_serve(struct cx_flow *flow, struct cx_job_listener *listener)
{
	if (listener->role == CX_PORTAL_DNS_UDP) {
		struct asking asking = { flow, listener->job };
		const struct cx_oracle_asker asker = asker_of(&asking);

		cx_oracle_datagrams(listener->fd, &asker);
		return;
	}
	for (int i = 0; i < ACCEPTS && listener->fd >= 0; i++) {
		int fd = accept4(listener->fd, NULL, NULL,
		                 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			begin(flow, listener, fd);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
		    errno == ENOBUFS)
			say_full(flow, listener);
		if (errno != ECONNABORTED && errno != EINTR)
			return;
	}
}

/* Answers the whole messages that stand in the slot. false: it is closed. */
static bool answer(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	uint8_t reply[CX_ORACLE_REPLY_MAX_BYTES];
	struct asking asking = { flow, tunnel->job };
	const struct cx_oracle_asker asker = asker_of(&asking);
	size_t taken, size;

	for (;;) {
		taken = cx_oracle_stream(&asker, (const uint8_t *)slot->data,
		                         slot->size, reply, &size);
		if (taken == 0)
			return true;
		if (size == 0 || send(tunnel->end[CX_CLIENT].fd, reply, size,
		                      MSG_NOSIGNAL) != (ssize_t)size) {
			cx_farewell_close(flow, tunnel);
			return false;
		}
		slot->size -= (uint32_t)taken;
		memmove(slot->data, slot->data + taken, slot->size);
	}
}

void cx_entrance_ask(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_end *client = &tunnel->end[CX_CLIENT];

	for (;;) {
		ssize_t n = cx_slots_receive(&flow->slots, tunnel->slot,
		                             client->fd);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			cx_farewell_close(flow, tunnel);
			return;
		}
		if (!answer(flow, tunnel))
			return;
	}
}
