/* resolve.c - see resolve.h. */
#include "gateway/resolve.h"

#include <ares.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>

#include "gateway/arena.h"

enum {
	ARENA_BYTES = 8 << 20,
	EDNS_BYTES = 1232,  /* no fragment on the way (RFC 9715) */
	/* tunnel->lookup while it waits for a place in the window */
	QUEUED = CX_RESOLVE_WINDOW,
	FEW = 8,            /* lookups that any job may have on their way */
};

static void watch(void *context, ares_socket_t fd, int readable, int writable)
{
	struct cx_resolve *resolve = context;

	resolve->hooks.watch(resolve->hooks.context, fd, readable, writable);
}

static int fail(struct cx_err *err, int code)
{
	return cx_err_set(err, CX_E_IO_ERROR, "the resolver: %s",
	                  ares_strerror(code));
}

int cx_resolve_start(const char *server, const struct cx_resolve_hooks *hooks,
                     struct cx_resolve *ret, struct cx_err *err)
{
	char lookups[] = "b"; /* DNS, and no hosts file */
	struct ares_options options = {
		.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES |
		         ARES_FLAG_EDNS,
		.ednspsz = EDNS_BYTES,
		.timeout = CX_RESOLVE_TIMEOUT_MS, .tries = CX_RESOLVE_TRIES,
		.lookups = lookups, .sock_state_cb = watch,
		.sock_state_cb_data = ret,
	};
	int code;

	*ret = (struct cx_resolve){ .hooks = *hooks };
	if (cx_arena_start(ARENA_BYTES) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "the resolver's memory");
	code = ares_library_init_mem(ARES_LIB_INIT_ALL, cx_arena_take,
	                             cx_arena_give, cx_arena_grow);
	if (code == ARES_SUCCESS)
		code = ares_init_options(&ret->channel, &options,
			ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
			ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB |
			ARES_OPT_EDNSPSZ);
	if (code == ARES_SUCCESS && server)
		code = ares_set_servers_ports_csv(ret->channel, server);
	return code == ARES_SUCCESS ? 0 : fail(err, code);
}

void cx_resolve_done(struct cx_resolve *resolve)
{
	for (int i = 0; i < CX_RESOLVE_WINDOW; i++)
		resolve->query[i].first = NULL;
	resolve->waiting = NULL;
	if (resolve->channel)
		ares_destroy(resolve->channel);
	resolve->channel = NULL;
}

static enum cx_lookup lookup_of(int status)
{
	if (status == ARES_SUCCESS || status == ARES_ENODATA)
		return CX_LOOKUP_FOUND;
	if (status == ARES_ENOTFOUND)
		return CX_LOOKUP_NOT_FOUND;
	return status == ARES_ETIMEOUT ? CX_LOOKUP_TIMEOUT : CX_LOOKUP_ERROR;
}

/* All of them: what there is no place for would not have been judged. */
static bool collect(struct cx_resolve *resolve,
                    const struct ares_addrinfo *result, size_t *ret_count)
{
	const struct ares_addrinfo_node *node = result ? result->nodes : NULL;

	*ret_count = 0;
	for (; node; node = node->ai_next) {
		struct cx_addr *addr = &resolve->answer[*ret_count];
		const void *from = node->ai_addr;

		if (*ret_count == CX_RESOLVE_ANSWERS_MAX)
			return false;
		*addr = (struct cx_addr){ .v6 = node->ai_family == AF_INET6 };
		if (addr->v6)
			memcpy(addr->byte, &((const struct sockaddr_in6 *)
			       from)->sin6_addr, 16);
		else
			memcpy(addr->byte, &((const struct sockaddr_in *)
			       from)->sin_addr, 4);
		(*ret_count)++;
	}
	return true;
}

static void begin(struct cx_resolve *resolve, struct cx_query *query,
                  struct cx_tunnel *tunnel);

static bool may_begin(const struct cx_resolve *resolve,
                      const struct cx_job *job)
{
	return job->lookups < FEW ||
	       job->lookups < CX_RESOLVE_WINDOW - resolve->taken;
}

/* The first that waits whose job may have one more; NULL. */
static struct cx_tunnel *next_waiting(struct cx_resolve *resolve)
{
	struct cx_tunnel *before = NULL, *at = resolve->waiting;

	while (at && !may_begin(resolve, at->job)) {
		before = at;
		at = at->ready_next;
	}
	if (!at)
		return NULL;
	*(before ? &before->ready_next : &resolve->waiting) = at->ready_next;
	if (resolve->waiting_last == at)
		resolve->waiting_last = before;
	return at;
}

/* Those that waited for a place begin, in their order. */
static void refill(struct cx_resolve *resolve)
{
	for (int i = 0; i < CX_RESOLVE_WINDOW && resolve->waiting; i++) {
		struct cx_tunnel *tunnel;

		if (resolve->query[i].taken)
			continue;
		tunnel = next_waiting(resolve);
		if (!tunnel)
			return;
		begin(resolve, &resolve->query[i], tunnel);
	}
}

/* Its place is free; the job may have gone meanwhile. */
static void leave(struct cx_resolve *resolve, struct cx_query *query)
{
	query->taken = false;
	resolve->taken--;
	if (query->job->generation == query->generation)
		query->job->lookups--;
}

static void answered(void *context, int status, int timeouts,
                     struct ares_addrinfo *result)
{
	struct cx_query *query = context;
	struct cx_resolve *resolve = query->resolve;
	enum cx_lookup lookup = lookup_of(status);
	size_t count;

	(void)timeouts;
	if (!collect(resolve, result, &count))
		lookup = CX_LOOKUP_ERROR;
	if (result)
		ares_freeaddrinfo(result);
	while (query->first) {
		struct cx_tunnel *tunnel = query->first;

		query->first = tunnel->ready_next;
		tunnel->ready_next = NULL;
		tunnel->lookup = -1;
		resolve->hooks.tell(resolve->hooks.context, tunnel, lookup,
		                    resolve->answer, count);
	}
	leave(resolve, query);
}

static void begin(struct cx_resolve *resolve, struct cx_query *query,
                  struct cx_tunnel *tunnel)
{
	static const struct ares_addrinfo_hints hints = {
		.ai_flags = ARES_AI_NOSORT, .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
	};

	*query = (struct cx_query){
		.resolve = resolve, .taken = true, .job = tunnel->job,
		.generation = tunnel->job->generation,
	};
	resolve->taken++;
	tunnel->job->lookups++;
	memcpy(query->name, tunnel->slot->target.host.name,
	       sizeof query->name);
	query->first = tunnel;
	tunnel->ready_next = NULL;
	tunnel->lookup = (int16_t)(query - resolve->query);
	resolve->asked++;
	ares_getaddrinfo(resolve->channel, query->name, NULL, &hints, answered,
	                 query);
}

void cx_resolve_ask(struct cx_resolve *resolve, struct cx_tunnel *tunnel)
{
	const char *name = tunnel->slot->target.host.name;
	struct cx_query *free = NULL;

	for (int i = 0; i < CX_RESOLVE_WINDOW; i++) {
		struct cx_query *query = &resolve->query[i];

		if (!query->taken) {
			free = free ? free : query;
		} else if (query->first && strcmp(query->name, name) == 0) {
			tunnel->lookup = (int16_t)i;
			tunnel->ready_next = query->first;
			query->first = tunnel;
			return;
		}
	}
	if (free && may_begin(resolve, tunnel->job)) {
		begin(resolve, free, tunnel);
		return;
	}
	tunnel->lookup = QUEUED;
	tunnel->ready_next = NULL;
	if (resolve->waiting_last)
		resolve->waiting_last->ready_next = tunnel;
	else
		resolve->waiting = tunnel;
	resolve->waiting_last = tunnel;
}

static void unlink_from(struct cx_tunnel **list, struct cx_tunnel *tunnel)
{
	while (*list && *list != tunnel)
		list = &(*list)->ready_next;
	if (*list)
		*list = tunnel->ready_next;
	tunnel->ready_next = NULL;
}

void cx_resolve_forget(struct cx_resolve *resolve, struct cx_tunnel *tunnel)
{
	if (tunnel->lookup < 0)
		return;
	if (tunnel->lookup == QUEUED) {
		unlink_from(&resolve->waiting, tunnel);
		resolve->waiting_last = resolve->waiting;
		while (resolve->waiting_last &&
		       resolve->waiting_last->ready_next)
			resolve->waiting_last =
				resolve->waiting_last->ready_next;
	} else {
		unlink_from(&resolve->query[tunnel->lookup].first, tunnel);
	}
	tunnel->lookup = -1;
}

void cx_resolve_turn(struct cx_resolve *resolve, int fd, bool readable,
                     bool writable)
{
	ares_process_fd(resolve->channel, readable ? fd : ARES_SOCKET_BAD,
	                writable ? fd : ARES_SOCKET_BAD);
	refill(resolve);
}

int cx_resolve_pause(struct cx_resolve *resolve, int most)
{
	struct timeval limit = { most / 1000, most % 1000 * 1000L };
	struct timeval room;
	struct timeval *pause = ares_timeout(resolve->channel,
	                                     most < 0 ? NULL : &limit, &room);

	return pause ? (int)(pause->tv_sec * 1000 +
	                     (pause->tv_usec + 999) / 1000) : -1;
}
