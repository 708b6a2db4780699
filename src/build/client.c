/* client.c - see client.h. */
#include "build/client.h"

#include "base/count.h"
#include "base/mem.h"

/* What tells a client where the network is and whom to trust there. */
static const char *const passed[] = {
	"HOME", "TMPDIR", "http_proxy", "https_proxy", "no_proxy",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE",
	"SSL_CERT_DIR", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
};

static const char *find(const char *name)
{
	size_t length = strlen(name);

	for (char **at = environ; *at; at++)
		if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
			return *at;
	return NULL;
}

void cx_client_start(struct cx_client *client)
{
	*client = (struct cx_client){ 0 };
	client->env[client->count++] =
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
		"/sbin:/bin";
	client->env[client->count++] = "LC_ALL=C.UTF-8";
	client->env[client->count++] = "TZ=UTC";
	for (size_t i = 0; i < CX_COUNT(passed); i++) {
		const char *variable = find(passed[i]);

		if (variable)
			client->env[client->count++] = variable;
	}
}

void cx_client_set(struct cx_client *client, const char *name,
                   const char *value)
{
	size_t length = strlen(name);
	char *made = cx_mem_print("%s=%s", name, value);
	unsigned i = 0;

	while (i < client->count &&
	       strncmp(client->env[i], made, length + 1) != 0)
		i++;
	if (i == CX_CLIENT_MAX || client->owned_count == CX_CLIENT_MAX) {
		free(made);
		return;
	}
	client->env[i] = made;
	if (i == client->count)
		client->count++;
	client->owned[client->owned_count++] = made;
}

void cx_client_done(struct cx_client *client)
{
	for (unsigned i = 0; i < client->owned_count; i++)
		free(client->owned[i]);
	*client = (struct cx_client){ 0 };
}
