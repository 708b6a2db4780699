/* farewell.c - see farewell.h. */
#include "gateway/farewell.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/promise.h"
#include "gateway/dial.h"
#include "gateway/visit.h"

enum {
	WORD_BYTES = 1024,
	DRAIN_TURNS = 64,
	SPENT_LOOKS = 400, /* of 5 ms: who takes nothing isn't waited for */
	FULL_STATUS = 503,
};

static const struct {
	uint16_t status;
	const char *phrase;
} phrase[] = {
	{ 400, "Bad Request" }, { 403, "Forbidden" },
	{ 407, "Proxy Authentication Required" }, { 408, "Request Timeout" },
	{ 414, "URI Too Long" }, { 417, "Expectation Failed" },
	{ 431, "Request Header Fields Too Large" },
	{ 501, "Not Supported" }, { 502, "Bad Gateway" },
	{ 503, "Service Unavailable" }, { 504, "Gateway Timeout" },
	{ 505, "HTTP Version Not Supported" }, { 508, "Loop Detected" },
};

static const char *phrase_of(uint16_t status)
{
	for (size_t i = 0; i < CX_COUNT(phrase); i++)
		if (phrase[i].status == status)
			return phrase[i].phrase;
	return "Error";
}

/* A class has a sentence; a word for what is malformed speaks for itself. */
static const char *about(const char *reason)
{
	enum cx_class class = cx_err_find(reason);

	if (class != CX_E_NONE)
		return cx_err_about(class);
	return strcmp(reason, "full") == 0
	       ? "The gateway or the job has no place for another connection."
	       : cx_err_about(CX_E_MALFORMED_REQUEST);
}

size_t cx_farewell_word(uint16_t status, const char *reason, bool keep,
                        char *ret, size_t room)
{
	const char *sentence = about(reason);
	const size_t body = strlen("cx-gateway: : \n") + strlen(reason) +
	                    strlen(sentence);
	int size = snprintf(ret, room,
		"HTTP/1.1 %u %s (%s)\r\n%sContent-Type: text/plain\r\n"
		"X-Cx-Reason: %s\r\nContent-Length: %zu\r\n"
		"%s\r\ncx-gateway: %s: %s\n",
		status, phrase_of(status), reason, status == 407 ?
		"Proxy-Authenticate: Basic realm=\"cx-gateway\"\r\n" : "",
		reason, body, keep ? "" : "Connection: close\r\n", reason,
		sentence);

	return size > 0 && (size_t)size < room ? (size_t)size : 0;
}

static void give_back(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_slot *slot = tunnel->slot;

	if (slot) {
		cx_dial_stop(tunnel);
		cx_slots_give(&flow->slots, slot);
	}
	tunnel->slot = NULL;
	for (int way = 0; way < CX_WAYS; way++)
		cx_ferry_drop(&flow->ferry, tunnel, way);
}

void cx_farewell_close(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	cx_resolve_forget(&flow->resolve, tunnel);
	cx_flow_unready(flow, tunnel);
	cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_NONE);
	give_back(flow, tunnel);
	cx_visit_leave(flow, tunnel);
	cx_tunnel_part(&flow->tunnels, tunnel);
	cx_fd_close_at(&tunnel->end[CX_CLIENT].fd);
	cx_tunnel_unhang(tunnel);
	cx_tunnel_give(&flow->tunnels, tunnel);
}

void cx_farewell_reset(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	static const struct linger at_once = { .l_onoff = 1 };

	for (int i = 0; i < CX_ENDS; i++)
		if (tunnel->end[i].fd >= 0)
			setsockopt(tunnel->end[i].fd, SOL_SOCKET, SO_LINGER,
			           &at_once, sizeof at_once);
	cx_farewell_close(flow, tunnel);
}

void cx_farewell_linger(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_end *client = &tunnel->end[CX_CLIENT];

	cx_resolve_forget(&flow->resolve, tunnel);
	give_back(flow, tunnel);
	cx_visit_leave(flow, tunnel);
	cx_tunnel_part(&flow->tunnels, tunnel);
	shutdown(client->fd, SHUT_WR);
	tunnel->state = CX_TUNNEL_LINGER;
	cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_LINGER);
	cx_farewell_drain(flow, tunnel);
}

/* Bytes that the other side hasn't acknowledged. */
static bool owes(int fd)
{
	int bytes = 0;

	return fd >= 0 && ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

void cx_farewell_overdrawn(struct cx_tunnel *tunnel)
{
	tunnel->job->denied++;
	cx_visit_spend(tunnel);
	tunnel->way[CX_UP].left = tunnel->way[CX_DOWN].left = 0;
}

void cx_farewell_spent(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	if (tunnel->state != CX_TUNNEL_SPENT) {
		cx_flow_unready(flow, tunnel);
		give_back(flow, tunnel);
		tunnel->state = CX_TUNNEL_SPENT;
	}
	if (tunnel->looks++ < SPENT_LOOKS && (owes(tunnel->end[0].fd) ||
	                                      owes(tunnel->end[1].fd)))
		cx_clockwork_wait(&flow->clockwork, tunnel, CX_WAIT_SLOW);
	else
		cx_farewell_reset(flow, tunnel);
}

void cx_farewell_drain(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	for (int i = 0; i < DRAIN_TURNS; i++) {
		ssize_t n = recv(tunnel->end[CX_CLIENT].fd, NULL, SIZE_MAX / 4,
		                 MSG_TRUNC);

		if (n > 0)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		break;
	}
	cx_farewell_close(flow, tunnel);
}

void cx_farewell_refuse(struct cx_flow *flow, struct cx_tunnel *tunnel,
                      uint16_t status, const char *reason)
{
	char word[WORD_BYTES];
	size_t size;

	cx_visit_refuse(flow, tunnel, status, reason);
	if (tunnel->tunnels || status == 0 ||
	    !CX_PROMISE(refused_is_reset,
	                !tunnel->transparent || tunnel->direct)) {
		cx_farewell_reset(flow, tunnel);
		return;
	}
	size = cx_farewell_word(status, reason, false, word, sizeof word);
	if (send(tunnel->end[CX_CLIENT].fd, word, size, MSG_NOSIGNAL) < 0)
		cx_farewell_close(flow, tunnel);
	else
		cx_farewell_linger(flow, tunnel);
}

bool cx_farewell_answer(struct cx_flow *flow, struct cx_tunnel *tunnel,
                        const struct cx_judgement *judgement)
{
	char word[WORD_BYTES];
	size_t size = cx_farewell_word(judgement->status, judgement->reason,
	                               true, word, sizeof word);

	cx_visit_judge(flow, tunnel, judgement);
	if (tunnel->job)
		tunnel->job->denied++;
	return send(tunnel->end[CX_CLIENT].fd, word, size, MSG_NOSIGNAL) ==
	       (ssize_t)size;
}

void cx_farewell_deny(struct cx_flow *flow, struct cx_tunnel *tunnel,
                    const struct cx_judgement *judgement)
{
	if (tunnel->job)
		tunnel->job->denied++;
	cx_visit_judge(flow, tunnel, judgement);
	cx_farewell_refuse(flow, tunnel, judgement->status, judgement->reason);
}
