/* dial.c - see dial.h. */
#include "gateway/dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/fd.h"

enum {
	TICKS_MAX = 40,      /* of 250 ms: then the whole is given up */
	FIRST_ATTEMPT = 2,   /* parts of a tag before it are ends */
};

/* IPv6 first, then each family in turn (RFC 8305, 4). */
static void order(struct cx_slot *slot)
{
	struct cx_addr sorted[CX_DECIDE_PINNED_MAX];
	uint8_t from[2] = { 0, 0 };
	bool v6 = true;

	for (uint8_t n = 0; n < slot->pins; n++, v6 = !v6) {
		for (int family = 0; family < 2; family++) {
			uint8_t *at = &from[v6];

			while (*at < slot->pins && slot->pin[*at].v6 != v6)
				(*at)++;
			if (*at < slot->pins)
				break;
			v6 = !v6;
		}
		sorted[n] = slot->pin[from[v6]++];
	}
	memcpy(slot->pin, sorted, slot->pins * sizeof *sorted);
}

static socklen_t write_address(const struct cx_addr *addr, uint16_t port,
                               struct sockaddr_storage *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;

	memset(ret, 0, sizeof *ret);
	if (addr->v6) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		memcpy(&v6->sin6_addr, addr->byte, 16);
		return sizeof *v6;
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons(port);
	memcpy(&v4->sin_addr, addr->byte, 4);
	return sizeof *v4;
}

static bool is_open(const struct cx_slot *slot)
{
	for (unsigned i = 0; i < slot->tried; i++)
		if (slot->attempt[i] >= 0)
			return true;
	return false;
}

static struct cx_flow_tag tag_of(const struct cx_flow *flow,
                                 const struct cx_tunnel *tunnel, unsigned part)
{
	return (struct cx_flow_tag){
		.kind = CX_FLOW_TUNNEL,
		.number = cx_tunnel_number(&flow->tunnels, tunnel),
		.part = (uint8_t)part, .generation = tunnel->generation,
	};
}

/* Begins the next one. 0, or -1: it failed at once. */
static int attempt(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	unsigned number = slot->tried++;
	struct sockaddr_storage address;
	const int on = 1;
	socklen_t size = write_address(&slot->pin[number], slot->target.port,
	                               &address);
	int fd = socket(address.ss_family,
	                SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	slot->attempt[number] = fd;
	if (fd < 0)
		return -1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if ((connect(fd, (struct sockaddr *)&address, size) < 0 &&
	     errno != EINPROGRESS) ||
	    cx_flow_watch(flow, fd, EPOLLIN | EPOLLOUT | EPOLLET |
	                  EPOLLRDHUP,
	                  tag_of(flow, tunnel, FIRST_ATTEMPT + number)) < 0) {
		cx_fd_close_at(&slot->attempt[number]);
		return -1;
	}
	return 0;
}

static enum cx_dialled go_on(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	bool full = false;

	while (slot->tried < slot->pins && attempt(flow, tunnel) < 0)
		full = errno == EMFILE || errno == ENFILE;
	if (!is_open(slot))
		return full ? CX_DIAL_FULL : CX_DIAL_FAILED;
	cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_ATTEMPT);
	return CX_DIAL_ON;
}

bool cx_dial_is_kept(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;
	struct cx_end *origin = &tunnel->end[CX_ORIGIN];
	char byte;

	if (origin->fd < 0)
		return false;
	if (slot->head.form != CX_HEAD_AUTHORITY &&
	    slot->dialled.port == slot->target.port &&
	    strcmp(slot->dialled.host.name, slot->target.host.name) == 0 &&
	    recv(origin->fd, &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN)
		return true;
	cx_tunnel_part(&flow->tunnels, tunnel);
	return false;
}

enum cx_dialled cx_dial_begin(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;

	order(slot);
	slot->tried = 0;
	slot->ticks = 0;
	return go_on(flow, tunnel);
}

/* Where it leads is what was pinned. */
static bool is_pinned(const struct cx_slot *slot, unsigned number)
{
	struct sockaddr_storage peer;
	struct sockaddr_storage pinned;
	socklen_t size = sizeof peer;
	socklen_t wanted = write_address(&slot->pin[number], slot->target.port,
	                                 &pinned);

	memset(&peer, 0, sizeof peer);
	return getpeername(slot->attempt[number], (struct sockaddr *)&peer,
	                   &size) == 0 &&
	       size == wanted && memcmp(&peer, &pinned, size) == 0;
}

enum cx_dialled cx_dial_event(struct cx_flow *flow, struct cx_tunnel *tunnel,
                              unsigned number)
{
	struct cx_slot *slot = tunnel->slot;
	struct cx_end *origin = &tunnel->end[CX_ORIGIN];
	int error = 0;
	socklen_t size = sizeof error;

	if (number >= slot->tried || slot->attempt[number] < 0)
		return CX_DIAL_ON;
	getsockopt(slot->attempt[number], SOL_SOCKET, SO_ERROR, &error, &size);
	if (error == 0 && is_pinned(slot, number)) {
		*origin = (struct cx_end){
			.fd = slot->attempt[number], .writable = true,
			.readable = true,
		};
		slot->attempt[number] = -1;
		flow->tunnels.origins++;
		slot->dialled = slot->target;
		cx_dial_stop(tunnel);
		cx_flow_rewatch(flow, origin->fd, EPOLLIN | EPOLLOUT |
		                EPOLLET | EPOLLRDHUP,
		                tag_of(flow, tunnel, CX_ORIGIN));
		return CX_DIAL_DONE;
	}
	if (error == 0)
		return CX_DIAL_ON; /* not connected yet */
	cx_fd_close_at(&slot->attempt[number]);
	return go_on(flow, tunnel);
}

enum cx_dialled cx_dial_tick(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	if (++tunnel->slot->ticks >= TICKS_MAX)
		return CX_DIAL_FAILED;
	if (tunnel->slot->tried < tunnel->slot->pins)
		return go_on(flow, tunnel);
	cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_ATTEMPT);
	return CX_DIAL_ON;
}

void cx_dial_stop(struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;

	for (unsigned i = 0; i < slot->tried; i++)
		cx_fd_close_at(&slot->attempt[i]);
	slot->tried = 0;
}
