/* batching.c - see batching.h. */
#include "tool/batching.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>

#include "base/fd.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/promise.h"
#include "run/cancel.h"
#include "run/hub.h"
#include "run/listener.h"
#include "run/readiness.h"

enum {
	EXIT_SOME_FAILED = 1,
	PATIENT = -1, /* as long as it takes to be its turn */
	CONNECTIONS = 64,
	PATIENCE_S = 30,
};

static void complain(void *context, const struct cx_err *err)
{
	cx_io_complain(context, err);
}

static size_t workers(const struct cx_batching_args *args)
{
	cpu_set_t set;

	if (args->jobs.set)
		return (size_t)args->jobs.value;
	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return 1;
	return (size_t)CPU_COUNT(&set);
}

static int mourn(struct cx_cli *cli)
{
	struct cx_err err;

	cx_err_set(&err, CX_E_INTERNAL, "the process that makes the workers "
	           "died, and can't be made again beside open keys: start the "
	           "server anew");
	return cx_io_complain(cli, &err);
}

/* The exit status of what was done; by a signal it isn't reached. */
static int conclude(struct cx_cli *cli, struct cx_hub *hub)
{
	struct cx_err err;

	if (cx_record_complaint(&hub->broker->sink, &err))
		cx_io_note(cli, "%s: %s", cx_err_name(err.code), err.text);
	if (hub->input_err.code != CX_E_NONE)
		return cx_io_complain(cli, &hub->input_err);
	if (hub->output_errno && hub->output_errno != EPIPE) {
		errno = hub->output_errno;
		cx_err_sys(&err, CX_E_IO_ERROR, "write standard output");
		err.code = CX_E_IO_ERROR; /* not our store's disk is full */
		return cx_io_complain(cli, &err);
	}
	if (hub->bereft)
		return mourn(cli);
	return hub->failed ? EXIT_SOME_FAILED : 0;
}

static struct cx_guest *new_guest(int in_fd, int out_fd, const char *name,
                                  bool unordered)
{
	struct cx_guest *guest = cx_mem_new(sizeof *guest);

	cx_guest_start(in_fd, out_fd, name, guest);
	guest->unordered = unordered;
	return guest;
}

static int start_batch(struct cx_cli *cli, const struct cx_batching_args *args,
                       struct cx_broker *broker,
                       const struct cx_order_flags *flags,
                       struct cx_hub *hub, struct cx_err *err)
{
	const struct cx_io_args io = { .file = args->file };
	CX_AUTO_FD int in = -1;
	int out;

	if (cx_broker_open(broker, err) < 0)
		return -1;
	in = cx_io_open(cli, &io, err);
	if (in < 0 ||
	    cx_hub_start(broker, flags, workers(args), NULL, hub, err) < 0)
		return -1;
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (out < 0)
		return cx_err_sys(err, CX_E_IO_ERROR,
		                  "write standard output");
	cx_hub_add(hub, new_guest(cx_fd_take(&in), out,
	                          args->file ? args->file : "standard input",
	                          args->unordered));
	hub->tell = complain;
	hub->context = cli;
	return 0;
}

static int end(struct cx_hub *hub, struct cx_broker *broker, int status)
{
	int number = hub->signal;

	if (number == 0 && hub->output_errno == EPIPE && hub->listen_fd < 0)
		number = SIGPIPE;
	cx_hub_done(hub);
	cx_broker_done(broker);
	if (number)
		cx_cancel_die(number);
	return status;
}

#define HUB_NONE { .crew = CX_CREW_NONE, .listen_fd = -1, .signal_fd = -1 }

int cx_batching_run_batch(struct cx_cli *cli, void *given)
{
	const struct cx_batching_args *args = given;
	const struct cx_order_flags flags = {
		.runtime = args->runtime, .wait_ms = PATIENT,
	};
	struct cx_broker broker = CX_BROKER_NONE;
	struct cx_hub hub = HUB_NONE;
	struct cx_err err = { 0 };
	int status;

	cx_interrupt_hold();
	signal(SIGPIPE, SIG_IGN);
	if (start_batch(cli, args, &broker, &flags, &hub, &err) < 0) {
		status = cx_io_fail(cli, &err);
	} else {
		cx_hub_run(&hub);
		status = conclude(cli, &hub);
	}
	return end(&hub, &broker, status);
}

/* What serve's hub calls back with. */
struct serving {
	struct cx_cli *cli;
	struct cx_doorway listener;
	bool unordered;
};

static void complain_of_guest(void *context, const struct cx_err *err)
{
	cx_io_complain(((struct serving *)context)->cli, err);
}

static struct cx_guest *admit(void *context, int listen_fd)
{
	const struct serving *serving = context;
	int fd = cx_doorway_accept(listen_fd);

	if (fd < 0)
		return NULL;
	return new_guest(fd, fd, "the connection", serving->unordered);
}

/* In the steward, however the server ended. */
static void take_down(void *context)
{
	cx_doorway_remove(&((struct serving *)context)->listener);
}

static int check_rollout(const struct cx_broker *broker, struct cx_err *err)
{
	return CX_PROMISE(rollout_gates_serve,
	                  cx_readiness_admit(&broker->config, err) == 0) ? 0
	                                                                 : -1;
}

static int start_serve(struct serving *serving,
                       const struct cx_batching_args *args,
                       struct cx_broker *broker,
                       const struct cx_order_flags *flags,
                       struct cx_hub *hub, struct cx_err *err)
{
	struct cx_steward_charge charge = {
		.farewell = take_down, .context = serving,
	};
	uint64_t patience = args->patience.set ? args->patience.value
	                                       : PATIENCE_S;

	if (cx_broker_open(broker, err) < 0 ||
	    check_rollout(broker, err) < 0 ||
	    cx_listener_start(&broker->state, args->listen,
	                      &serving->listener, err) < 0)
		return -1;
	charge.close_fd = serving->listener.fd;
	if (cx_hub_start(broker, flags, workers(args), &charge, hub, err) < 0)
		return -1;
	hub->listen_fd = serving->listener.fd;
	hub->guests_max = args->connections.set ?
	                  (size_t)args->connections.value : CONNECTIONS;
	hub->patience_us = (int64_t)patience * 1000000;
	hub->admit = admit;
	hub->tell = complain_of_guest;
	hub->context = serving;
	return 0;
}

int cx_batching_run_serve(struct cx_cli *cli, void *given)
{
	const struct cx_batching_args *args = given;
	const struct cx_order_flags flags = {
		.runtime = args->runtime, .wait_ms = PATIENT,
	};
	struct serving serving = {
		.cli = cli, .listener = CX_DOORWAY_NONE,
		.unordered = args->unordered,
	};
	struct cx_broker broker = CX_BROKER_NONE;
	struct cx_hub hub = HUB_NONE;
	struct cx_err err = { 0 };
	int status;

	/* which a script's "&" has ignored; a server is there to be ended */
	signal(SIGINT, SIG_DFL);
	cx_interrupt_hold();
	signal(SIGPIPE, SIG_IGN);
	if (start_serve(&serving, args, &broker, &flags, &hub, &err) < 0) {
		status = cx_io_complain(cli, &err);
	} else {
		cx_io_note(cli, "listening at %s", args->listen ? args->listen
		           : "run/serve.sock of the state folder");
		cx_hub_run(&hub);
		status = conclude(cli, &hub);
	}
	if (hub.bereft) /* who else takes it down is dead */
		take_down(&serving);
	status = end(&hub, &broker, status);
	cx_doorway_done(&serving.listener);
	return status;
}
