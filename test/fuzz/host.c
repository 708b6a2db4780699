/*
 * host.c - what reads as a name is an address to no resolver, reads as itself
 * once more, and is under no entry but its own; the input stands for a host as
 * it is, and for the choices of one that is made up.
 */
#include <string.h>

#include "../lib/hosts.h"
#include "model/decide.h"
#include "model/hostport.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void check_again(const struct cx_host *host)
{
	struct cx_host again;
	char text[CX_HOST_NAME_BYTES + 2];
	bool v6 = host->kind == CX_HOST_LITERAL && host->addr.v6;
	int size = snprintf(text, sizeof text, v6 ? "[%s]" : "%s", host->name);

	demand(cx_host_read(text, (size_t)size, &again) == host->kind);
	demand(strcmp(again.name, host->name) == 0);
}

static void check_host(ares_channel channel, const char *text, size_t size)
{
	struct cx_host host;
	char longer[CX_HOST_NAME_BYTES + 1];
	struct cx_entry entry = { .port = 0 };

	switch (cx_host_read(text, size, &host)) {
	case CX_HOST_BAD:
	case CX_HOST_AMBIGUOUS:
		return;
	case CX_HOST_NAME:
		demand(!hosts_taken_by(channel, host.name));
		break;
	case CX_HOST_LITERAL:
		demand(hosts_taken_by(channel, host.name) != NULL);
		break;
	}
	check_again(&host);
	entry.host = host;
	demand(cx_decide_covers(&entry, &host));
	if (host.kind != CX_HOST_NAME ||
	    strlen(host.name) + 2 > sizeof host.name)
		return;
	snprintf(longer, sizeof longer, "x%s", host.name);
	if (cx_host_read(longer, strlen(longer), &host) == CX_HOST_NAME)
		demand(!cx_decide_covers(&entry, &host));
}

static void check_entry(const char *text, size_t size)
{
	struct cx_entry entry;
	struct cx_prefix prefix;
	struct cx_addr addr, again;
	char canonical[CX_ADDR_TEXT_BYTES];

	if (cx_hostport_read(text, size, &entry))
		demand(entry.host.kind >= CX_HOST_NAME);
	if (cx_addr_read_prefix(text, size, &prefix))
		demand(cx_addr_is_in(&prefix.addr, &prefix));
	if (!cx_addr_read(text, size, &addr))
		return;
	cx_addr_write(&addr, canonical);
	demand(cx_addr_read(canonical, strlen(canonical), &again));
	demand(cx_addr_is_same(&addr, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static ares_channel channel;
	struct hosts_source source = {
		.draw = hosts_draw_data, .data = data, .end = data + size,
	};
	char text[HOSTS_TEXT_BYTES];

	if (!channel)
		channel = hosts_channel();
	check_host(channel, (const char *)data, size);
	check_entry((const char *)data, size);
	while (source.data < source.end)
		check_host(channel, text, hosts_make(&source, text));
	return 0;
}
