/* serving.c - see serving.h. */
#include "tool/serving.h"

#include "base/interrupt.h"
#include "gateway/enclosure.h"

static int read_wish(const struct cx_serving *args,
                     struct cx_gatehouse_wish *ret, struct cx_err *err)
{
	*ret = (struct cx_gatehouse_wish){
		.socket = args->socket, .private = args->private,
		.resolver = args->resolver, .listens = args->listen.count,
		.tunnels = CX_SERVING_TUNNELS,
		.drain_ms = CX_SERVING_DRAIN_MS,
	};
	if (args->private && args->socket)
		return cx_err_set(err, CX_E_USAGE, "--private takes its "
		                  "control connection from standard input, so "
		                  "there is no --socket");
	if (args->listen.count > CX_GATEHOUSE_LISTEN_MAX)
		return cx_err_set(err, CX_E_USAGE, "--listen may be given %d "
		                  "times", CX_GATEHOUSE_LISTEN_MAX);
	for (size_t i = 0; i < args->listen.count; i++)
		ret->listen[i] = args->listen.item[i];
	if (args->tunnels.set)
		ret->tunnels = (uint32_t)args->tunnels.value;
	if (args->drain_ms.set)
		ret->drain_ms = (uint32_t)args->drain_ms.value;
	return 0;
}

/* What holds once the gateway is shut in, and nothing served. */
static int check(struct cx_cli *cli)
{
	bool holds = false;
	CX_AUTO_JSON json_t *all = cx_enclosure_check(&holds);
	int status = cx_io_write(cli, all);
	struct cx_err err = { 0 };

	if (status != 0 || holds)
		return status;
	cx_err_set(&err, CX_E_ISOLATION_UNAVAILABLE,
	           "the gateway isn't shut in as it has to be");
	return cx_io_fail(cli, &err);
}

int cx_serving_run(struct cx_cli *cli, void *given)
{
	const struct cx_serving *args = given;
	CX_AUTO_JSON json_t *where = NULL;
	struct cx_gatehouse_wish wish;
	struct cx_gatehouse *house;
	struct cx_err err = { 0 };
	int status = 0;

	cx_interrupt_hold();
	if (read_wish(args, &wish, &err) < 0 ||
	    cx_gatehouse_open(&wish, &house, &where, &err) < 0) {
		cx_interrupt_release();
		return cx_io_fail(cli, &err);
	}
	if (cx_gatehouse_enclose(house, &err) < 0)
		status = cx_io_fail(cli, &err);
	else if (args->selfcheck)
		status = check(cli);
	else if (!args->private)
		status = cx_io_write(cli, where);
	if (status == 0 && !args->selfcheck)
		cx_gatehouse_run(house);
	cx_gatehouse_free(house);
	cx_interrupt_release();
	return status;
}
