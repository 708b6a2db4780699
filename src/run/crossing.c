/* crossing.c - see crossing.h. */
#include "run/crossing.h"

#include "base/hex.h"
#include "base/mem.h"
#include "base/promise.h"
#include "base/rand.h"

enum { TOKEN_BYTES = 16 };

static const char *const role[] = {
	[CX_PORTAL_PROXY] = "proxy", [CX_PORTAL_ANY] = "any",
	[CX_PORTAL_PORT] = "port", [CX_PORTAL_DNS_UDP] = "dns_udp",
	[CX_PORTAL_DNS_TCP] = "dns_tcp",
};

/* Nobody shows it: whose traffic it is, the listeners say. */
static int make_token(char ret[2 * TOKEN_BYTES + 1], struct cx_err *err)
{
	uint8_t random[TOKEN_BYTES];

	if (cx_rand_fill(random, sizeof random, err) < 0)
		return -1;
	cx_hex_write(random, sizeof random, ret);
	return 0;
}

static json_t *describe(const struct cx_crossing *crossing, const char *token)
{
	const struct cx_allowance *allowed = &crossing->order->trust.allowance;
	const struct cx_session *session =
		cx_trust_session(&crossing->order->trust);
	json_t *hosts = json_array(), *ports = json_array();

	for (size_t i = 0; i < allowed->hosts; i++)
		json_array_append_new(hosts, json_string(allowed->host[i]));
	for (size_t i = 0; i < allowed->ports; i++)
		json_array_append_new(ports, json_integer(allowed->port[i]));
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:I}",
	                 "token", token, "jobId", crossing->id,
	                 "orgId", session->org_id,
	                 "tier", cx_tier_text(crossing->order->trust.tier),
	                 "allowlist", hosts, "ports", ports,
	                 "maxBytes", (json_int_t)crossing->max_bytes);
}

static json_t *list_listeners(const struct cx_portal *portal,
                              int ret_fd[CX_PORTAL_SOCKETS_MAX])
{
	json_t *list = json_array();

	for (size_t i = 0; i < portal->count; i++) {
		const struct cx_portal_socket *one = &portal->socket[i];

		json_array_append_new(list, json_pack(
			"{s:s, s:i, s:b}", "role", role[one->role], "port",
			one->port, "redirected", portal->redirected));
		ret_fd[i] = one->fd;
	}
	return list;
}

int cx_crossing_open(struct cx_crossing *crossing,
                     const struct cx_portal *portal, struct cx_err *err)
{
	CX_AUTO_JSON json_t *question = json_object();
	CX_AUTO_JSON json_t *answer = NULL;
	char token[2 * TOKEN_BYTES + 1];
	int fd[CX_PORTAL_SOCKETS_MAX + 1];
	size_t fds = portal->count;

	if (make_token(token, err) < 0)
		return -1;
	json_object_set_new(question, "do", json_string("register"));
	json_object_set_new(question, "registration",
	                    describe(crossing, token));
	json_object_set_new(question, "listeners", list_listeners(portal, fd));
	if (crossing->toll_fd >= 0) {
		fd[fds++] = crossing->toll_fd;
		json_object_set_new(question, "tollMaxBytes", json_integer(
			(json_int_t)crossing->order->trust.allowance
			.job_bytes));
	}
	if (!CX_PROMISE(egress_registered,
	                cx_register_ask(&crossing->courier->reg, question, fd,
	                                fds, &answer, err) == 0)) {
		err->code = CX_E_EGRESS_REGISTRATION_FAILED;
		return -1;
	}
	crossing->registered = true;
	return 0;
}

int64_t cx_crossing_close(struct cx_crossing *crossing)
{
	CX_AUTO_JSON json_t *question = NULL;
	CX_AUTO_JSON json_t *answer = NULL;
	struct cx_err ignored;

	if (!crossing->registered)
		return 0;
	crossing->registered = false;
	question = json_pack("{s:s, s:s}", "do", "unregister", "jobId",
	                     crossing->id);
	if (cx_register_ask(&crossing->courier->reg, question, NULL, 0, &answer,
	                    &ignored) < 0)
		return -1;
	if (CX_PROMISE(egress_metered, false))
		return 0;
	return cx_json_number(json_object_get(answer, "usage"), "totalBytes",
	                      -1);
}
