/* premises.c - see premises.h. */
#include "gateway/premises.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "gateway/farewell.h"
#include "gateway/request.h"

enum {
	SPILLS = 4096,
	LOCALS_MAX = 1024,
	SPARE_DESCRIPTORS = 512,   /* for what isn't a tunnel's end */
};

static void watch_resolver(void *context, int fd, bool readable, bool writable)
{
	struct cx_flow *flow = context;
	const struct cx_flow_tag tag = {
		.kind = CX_FLOW_RESOLVER, .number = (uint32_t)fd,
	};
	uint32_t events = (readable ? EPOLLIN : 0U) |
	                  (writable ? EPOLLOUT : 0U);

	if (events == 0)
		epoll_ctl(flow->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	else if (cx_flow_rewatch(flow, fd, events, tag) < 0)
		cx_flow_watch(flow, fd, events, tag);
}

static void tell(void *context, struct cx_tunnel *tunnel,
                 enum cx_lookup lookup, const struct cx_addr *answer,
                 size_t answers)
{
	cx_request_told(context, tunnel, lookup, answer, answers);
}

static bool read_interface(const struct ifaddrs *at, struct cx_addr *ret)
{
	const void *address = at->ifa_addr;

	if (!address)
		return false;
	*ret = (struct cx_addr){ .v6 = at->ifa_addr->sa_family == AF_INET6 };
	if (ret->v6)
		memcpy(ret->byte, &((const struct sockaddr_in6 *)
		       address)->sin6_addr, 16);
	else if (at->ifa_addr->sa_family == AF_INET)
		memcpy(ret->byte, &((const struct sockaddr_in *)
		       address)->sin_addr, 4);
	else
		return false;
	return true;
}

/* What our own interfaces have is ours, whatever the configuration says. */
static int add_interfaces(struct cx_terrain_book *book, struct cx_err *err)
{
	struct cx_terrain *terrain = &book->terrain;
	struct ifaddrs *list, *at;

	if (getifaddrs(&list) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR,
		                  "the interfaces' addresses");
	book->local = cx_mem_grow(book->local, terrain->locals + LOCALS_MAX,
	                          sizeof *book->local);
	terrain->local = book->local;
	at = list;
	for (size_t i = 0; at && i < LOCALS_MAX; i++, at = at->ifa_next)
		if (read_interface(at, &book->local[terrain->locals]))
			terrain->locals++;
	freeifaddrs(list);
	return 0;
}

static int read_terrain(struct cx_flow *flow, const struct cx_config *config,
                        struct cx_err *err)
{
	struct cx_terrain_book book = { 0 };

	cx_terrain_make(config, &book);
	if (add_interfaces(&book, err) < 0) {
		cx_terrain_done(&book);
		return -1;
	}
	cx_terrain_done(&flow->book);
	flow->book = book;
	return 0;
}

int cx_premises_reload(void *context, struct cx_err *err)
{
	struct cx_flow *flow = context;
	CX_AUTO_CONFIG struct cx_config config = { 0 };

	if (cx_config_load(&config, err) < 0 ||
	    cx_journal_reload(&flow->journal, &config, err) < 0)
		return -1;
	return read_terrain(flow, &config, err);
}

/* A descriptor each, and some to spare; who finds none for his origin is told
 * so. */
static uint32_t places(uint32_t wanted, uint32_t *ret_descriptors)
{
	struct rlimit limit;
	rlim_t room;

	*ret_descriptors = 2 * wanted;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return wanted;
	limit.rlim_cur = 2 * (rlim_t)wanted + SPARE_DESCRIPTORS;
	if (limit.rlim_max < limit.rlim_cur &&
	    setrlimit(RLIMIT_NOFILE, &(struct rlimit){
	              limit.rlim_cur, limit.rlim_cur }) == 0)
		limit.rlim_max = limit.rlim_cur; /* root may */
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	room = limit.rlim_cur;
	room = room > 2UL * SPARE_DESCRIPTORS ? room - SPARE_DESCRIPTORS
	                                    : room / 2;
	if (room < *ret_descriptors)
		*ret_descriptors = (uint32_t)room;
	return room < wanted ? (uint32_t)room : wanted;
}

static int make_tables(struct cx_flow *flow, uint32_t count)
{
	flow->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	flow->spare_fd = flow->epoll_fd < 0 ? -1 :
	                 fcntl(flow->epoll_fd, F_DUPFD_CLOEXEC, 3);
	if (flow->spare_fd < 0 || cx_job_start(&flow->jobs) < 0 ||
	    cx_tunnel_start(&flow->tunnels, count) < 0 ||
	    cx_slots_start(&flow->slots, count) < 0)
		return -1;
	return cx_ferry_start(&flow->ferry, SPILLS);
}

int cx_premises_start(struct cx_flow *flow, uint32_t tunnels,
                      const char *server, struct cx_err *err)
{
	const struct cx_resolve_hooks hooks = { flow, watch_resolver, tell };
	CX_AUTO_CONFIG struct cx_config config = { 0 };
	uint32_t count;

	*flow = (struct cx_flow){ .epoll_fd = -1, .spare_fd = -1,
		                  .journal = CX_JOURNAL_NONE };
	count = places(tunnels, &flow->descriptors);
	cx_flow_look_at_clock(flow);
	/* the log's process first, while there is nothing for it to keep */
	if (cx_config_load(&config, err) < 0 ||
	    cx_journal_start(&config, count, &flow->journal, err) < 0)
		return -1;
	if (make_tables(flow, count) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "the gateway's tables");
	if (read_terrain(flow, &config, err) < 0)
		return -1;
	return cx_resolve_start(server, &hooks, &flow->resolve, err);
}

void cx_premises_done(struct cx_flow *flow)
{
	for (uint32_t i = 0; i < flow->tunnels.fresh; i++)
		if (flow->tunnels.tunnel[i].state != CX_TUNNEL_FREE)
			cx_farewell_reset(flow, &flow->tunnels.tunnel[i]);
	cx_resolve_done(&flow->resolve);
	cx_ferry_done(&flow->ferry);
	cx_slots_done(&flow->slots);
	cx_tunnel_done(&flow->tunnels);
	cx_job_done(&flow->jobs);
	cx_terrain_done(&flow->book);
	cx_journal_done(&flow->journal);
	cx_fd_close_at(&flow->spare_fd);
	cx_fd_close_at(&flow->epoll_fd);
}

static int watch_listener(struct cx_flow *flow, int fd, uint32_t number,
                          size_t part, uint32_t generation)
{
	return cx_flow_watch(flow, fd, EPOLLIN, (struct cx_flow_tag){
		.kind = CX_FLOW_LISTENER, .number = number,
		.part = (uint8_t)part, .generation = generation,
	});
}

int cx_premises_begin_job(void *context, struct cx_job *job)
{
	struct cx_flow *flow = context;
	uint32_t number = (uint32_t)(job - flow->jobs.job);

	for (size_t i = 0; i < job->listeners; i++)
		if (watch_listener(flow, job->listener[i].fd, number, i,
		                   job->generation) < 0)
			return -1;
	return 0;
}

/* No turn is the job's any more. */
static void unready_job(struct cx_flow *flow, struct cx_job *job)
{
	struct cx_job *before = NULL;

	if (!job->is_ready)
		return;
	for (struct cx_job *at = flow->ready; at != job; at = at->ready_job)
		before = at;
	if (before)
		before->ready_job = job->ready_job;
	else
		flow->ready = job->ready_job;
	if (flow->ready_last == job)
		flow->ready_last = before;
	job->is_ready = false;
}

void cx_premises_cut_job(void *context, struct cx_job *job, bool listening)
{
	struct cx_flow *flow = context;

	/* closing the last one of a job that is gone frees the place */
	job->open++;
	while (job->first)
		cx_farewell_reset(flow, job->first);
	job->open--;
	unready_job(flow, job);
	for (size_t i = 0; !listening && i < job->listeners; i++)
		epoll_ctl(flow->epoll_fd, EPOLL_CTL_DEL, job->listener[i].fd,
		          NULL);
}

int cx_premises_share(struct cx_flow *flow, int fd)
{
	struct cx_job_table *jobs = &flow->jobs;
	size_t part = jobs->shareds;

	if (part == CX_JOB_SHARED_MAX) {
		errno = ENOSPC;
		return -1;
	}
	if (watch_listener(flow, fd, CX_JOB_MAX, part, 0) < 0)
		return -1;
	jobs->shared[part] = (struct cx_job_listener){
		.role = CX_PORTAL_PROXY, .fd = fd,
	};
	jobs->shareds++;
	return 0;
}

void cx_premises_close(struct cx_flow *flow)
{
	for (size_t i = 0; i < flow->jobs.shareds; i++)
		cx_fd_close_at(&flow->jobs.shared[i].fd);
	flow->closing = true;
}
