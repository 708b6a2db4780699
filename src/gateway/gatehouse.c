/* gatehouse.c - see gatehouse.h. */
#include "gateway/gatehouse.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "gateway/enclosure.h"
#include "gateway/lodge.h"
#include "gateway/premises.h"
#include "store/state.h"

enum {
	BACKLOG = 4096,
	UNTIL_EVENT = -1,
};

static const struct cx_shape place = {
	.kind = CX_SHAPE_TEXT, .about = "ADDRESS:PORT.",
};

static const struct cx_shape member[] = {
	{ .name = "control", .kind = CX_SHAPE_TEXT, .required = true,
	  .about = "Path of the control socket." },
	{ .name = "listen", .kind = CX_SHAPE_LIST, .sub = &place,
	  .required = true, .about = "Listeners that all jobs share." },
	{ .name = NULL },
};

const struct cx_shape cx_gatehouse_shape = {
	.name = "gateway", .kind = CX_SHAPE_OBJECT, .sub = member,
	.about = "Where the gateway can be reached, once it serves.",
};

struct cx_gatehouse {
	struct cx_gatehouse_wish wish;
	struct cx_state state;
	struct cx_flow flow;
	struct cx_registrar registrar;
	struct cx_lodge lodge;
	int signal_fd;
	bool over;
};

/* "ADDRESS:PORT" as plane and model read them; port 0 is any. */
static bool read_place(const char *text, struct sockaddr_storage *ret,
                       socklen_t *ret_size)
{
	const char *colon = strrchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : 0;
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	struct cx_host host;
	uint16_t port = colon ? cx_host_port(colon + 1, strlen(colon + 1)) : 0;

	if (!colon || cx_host_read(text, length, &host) != CX_HOST_LITERAL ||
	    (port == 0 && strcmp(colon, ":0") != 0))
		return false;
	memset(ret, 0, sizeof *ret);
	if (host.addr.v6) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		memcpy(&v6->sin6_addr, host.addr.byte, 16);
		*ret_size = sizeof *v6;
		return true;
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons(port);
	memcpy(&v4->sin_addr, host.addr.byte, 4);
	*ret_size = sizeof *v4;
	return true;
}

/* Where it really listens: a port that was 0 has a number now. */
static json_t *name_place(const char *text, int fd)
{
	/* the port stands at the same place in both families */
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} address = { 0 };
	socklen_t size = sizeof address;
	const char *colon = strrchr(text, ':');

	if (getsockname(fd, &address.any, &size) < 0)
		return json_string(text);
	return json_sprintf("%.*s:%u", (int)(colon - text), text,
	                    ntohs(address.in.sin_port));
}

static int listen_at(struct cx_gatehouse *house, const char *text,
                     json_t *ret_list, struct cx_err *err)
{
	struct sockaddr_storage address;
	const int on = 1;
	CX_AUTO_FD int fd = -1;
	socklen_t size;

	if (!read_place(text, &address, &size))
		return cx_err_set(err, CX_E_USAGE, "--listen takes "
		                  "ADDRESS:PORT, as 127.0.0.1:3128 or "
		                  "[::1]:3128");
	fd = socket(address.ss_family,
	            SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
	    bind(fd, (struct sockaddr *)&address, size) < 0 ||
	    listen(fd, BACKLOG) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "listen at %s", text);
	json_array_append_new(ret_list, name_place(text, fd));
	if (cx_premises_share(&house->flow, fd) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "listen at %s", text);
	cx_fd_take(&fd);
	return 0;
}

static int open_control(struct cx_gatehouse *house, struct cx_err *err)
{
	const struct cx_gatehouse_wish *wish = &house->wish;

	if (wish->private)
		return cx_lodge_adopt(0, &house->registrar, &house->lodge,
		                      err);
	return cx_lodge_open(&house->state, wish->socket, &house->registrar,
	                     &house->lodge, err);
}

static int watch(struct cx_gatehouse *house, int fd, enum cx_flow_kind kind,
                 int number)
{
	return cx_flow_watch(&house->flow, fd, EPOLLIN, (struct cx_flow_tag){
		.kind = kind, .number = (uint32_t)number,
	});
}

static int watch_all(struct cx_gatehouse *house, struct cx_err *err)
{
	const struct cx_reception *reception = &house->lodge.reception;
	int private = house->lodge.private_number;

	house->signal_fd = cx_interrupt_fd();
	if (house->signal_fd < 0 ||
	    watch(house, house->signal_fd, CX_FLOW_SIGNAL, 0) < 0 ||
	    (reception->listen_fd >= 0 &&
	     watch(house, reception->listen_fd, CX_FLOW_DOOR, 0) < 0) ||
	    (private >= 0 && watch(house, reception->fd[private],
	                           CX_FLOW_CONTROL, private) < 0))
		return cx_err_sys(err, CX_E_IO_ERROR, "watch the control "
		                  "connections");
	return 0;
}

static int open_all(struct cx_gatehouse *house, json_t *ret_where,
                    struct cx_err *err)
{
	const struct cx_gatehouse_wish *wish = &house->wish;
	const struct cx_registrar_path path = {
		&house->flow, cx_premises_begin_job, cx_premises_cut_job,
		cx_premises_reload,
	};
	json_t *list = json_array();

	json_object_set_new(ret_where, "listen", list);
	if (!wish->private && cx_state_open(&house->state, err) < 0)
		return -1;
	if (cx_premises_start(&house->flow, wish->tunnels, wish->resolver,
	                      err) < 0)
		return -1;
	if (cx_registrar_start(&house->flow.jobs, &house->flow.book.terrain,
	                       &path, &house->registrar) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "the gateway's tables");
	if (open_control(house, err) < 0)
		return -1;
	if (!wish->private)
		json_object_set_new(ret_where, "control", wish->socket ?
			json_string(wish->socket) :
			json_sprintf("%s/run/gateway.sock",
			             house->state.path));
	for (size_t i = 0; i < wish->listens; i++)
		if (listen_at(house, wish->listen[i], list, err) < 0)
			return -1;
	return watch_all(house, err);
}

int cx_gatehouse_open(const struct cx_gatehouse_wish *wish,
                      struct cx_gatehouse **ret, json_t **ret_where,
                      struct cx_err *err)
{
	struct cx_gatehouse *house = cx_mem_new(sizeof *house);
	json_t *where = json_object();

	house->wish = *wish;
	house->state = (struct cx_state)CX_STATE_NONE;
	house->signal_fd = -1;
	house->flow = (struct cx_flow){ .epoll_fd = -1, .spare_fd = -1,
		                        .journal = CX_JOURNAL_NONE };
	house->lodge = (struct cx_lodge){
		.door = CX_DOORWAY_NONE, .private_number = -1,
	};
	signal(SIGPIPE, SIG_IGN); /* splice(2) has no MSG_NOSIGNAL */
	if (open_all(house, where, err) < 0) {
		cx_json_free_at(&where);
		cx_gatehouse_free(house);
		return -1;
	}
	*ret = house;
	*ret_where = where;
	return 0;
}

int cx_gatehouse_enclose(const struct cx_gatehouse *house, struct cx_err *err)
{
	CX_AUTO_CONFIG struct cx_config config = { 0 };
	struct cx_enclosure_wish wish = {
		.door_fd = house->lodge.door.folder_fd,
	};

	if (cx_config_load(&config, err) < 0)
		return -1;
	wish.config = config.file;
	return cx_enclosure_enter(&wish, err);
}

static void hear(void *context, struct cx_flow_tag tag)
{
	struct cx_gatehouse *house = context;
	struct cx_reception *reception = &house->lodge.reception;
	int number = (int)tag.number;

	switch (tag.kind) {
	case CX_FLOW_SIGNAL:
		house->over = true;
		break;
	case CX_FLOW_DOOR:
		while ((number = cx_reception_accept(reception)) >= 0)
			watch(house, reception->fd[number], CX_FLOW_CONTROL,
			      number);
		break;
	case CX_FLOW_CONTROL:
		if (reception->fd[number] >= 0 &&
		    !cx_reception_serve(reception, number) &&
		    number == house->lodge.private_number)
			house->over = true;
		break;
	case CX_FLOW_TUNNEL:
	case CX_FLOW_LISTENER:
	case CX_FLOW_RESOLVER:
		break;
	}
}

static void ignore(void *context, struct cx_flow_tag tag)
{
	(void)context;
	(void)tag;
}

void cx_gatehouse_run(struct cx_gatehouse *house)
{
	struct cx_flow *flow = &house->flow;
	int64_t end_ms;

	while (!house->over)
		cx_flow_turn(flow, UNTIL_EVENT, hear, house);
	cx_premises_close(flow);
	/* level-triggered, it would never let us wait */
	cx_fd_close_at(&house->signal_fd);
	end_ms = flow->clockwork.now_ms + house->wish.drain_ms;
	while (!house->wish.private && flow->tunnels.used > 0 &&
	       flow->clockwork.now_ms < end_ms)
		cx_flow_turn(flow, (int)(end_ms - flow->clockwork.now_ms),
		             ignore, NULL);
}

void cx_gatehouse_free(struct cx_gatehouse *house)
{
	cx_lodge_done(&house->lodge);
	cx_registrar_done(&house->registrar);
	cx_premises_done(&house->flow);
	cx_fd_close_at(&house->signal_fd);
	cx_state_done(&house->state);
	free(house);
}
