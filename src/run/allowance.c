/* allowance.c - see allowance.h. */
#include "run/allowance.h"

#include "base/mem.h"
#include "base/promise.h"
#include "base/str.h"

static bool add_host(struct cx_allowance *ret, const char *entry)
{
	for (size_t i = 0; i < ret->hosts; i++)
		if (cx_str_same(ret->host[i], entry))
			return true;
	if (ret->hosts == CX_ALLOWANCE_HOSTS_MAX)
		return false;
	ret->host = cx_mem_grow(ret->host, ret->hosts + 1, sizeof *ret->host);
	ret->host[ret->hosts++] = cx_mem_text(entry);
	return true;
}

/* Each host that wide covers, narrow's ports being among its own. */
static bool covers(const char *wide, const char *narrow)
{
	struct cx_caveat_host a, b;

	if (!cx_caveat_split(wide, &a) || !cx_caveat_split(narrow, &b) ||
	    b.length < a.length ||
	    memcmp(b.name + b.length - a.length, a.name, a.length) != 0)
		return false;
	if (b.length > a.length && b.name[b.length - a.length - 1] != '.')
		return false;
	return a.port == b.port || a.port == 0;
}

/* What both lists let in. An entry with a port and one without, of which the
 * former's name is the wider: the name of one with the port of the other. */
static void meet(const char *one, const char *two, struct cx_allowance *ret)
{
	struct cx_caveat_host a, b;
	CX_AUTO_FREE char *both = NULL;

	if (covers(one, two)) {
		add_host(ret, two);
	} else if (covers(two, one)) {
		add_host(ret, one);
	} else if (cx_caveat_split(one, &a) && cx_caveat_split(two, &b) &&
	           (a.port == 0) != (b.port == 0)) {
		const struct cx_caveat_host *ported = a.port ? &a : &b;
		const struct cx_caveat_host *plain = a.port ? &b : &a;
		CX_AUTO_FREE char *wide = cx_mem_print(
			"%.*s", (int)ported->length, ported->name);

		both = cx_mem_print("%.*s:%llu", (int)plain->length,
		                    plain->name,
		                    (unsigned long long)ported->port);
		if (covers(wide, both))
			add_host(ret, both);
	}
}

static void keep_met(struct cx_allowance *ret, const char *const *list,
                     size_t count)
{
	struct cx_allowance met = { .host = NULL };

	for (size_t i = 0; i < ret->hosts; i++)
		for (size_t k = 0; k < count; k++)
			meet(ret->host[i], list[k], &met);
	for (size_t i = 0; i < ret->hosts; i++)
		free(ret->host[i]);
	free(ret->host);
	ret->host = met.host;
	ret->hosts = met.hosts;
}

/* Narrows by a list; the first one where nothing was asked for. */
static void narrow(struct cx_allowance *ret, bool *asked,
                   const char *const *list, size_t count)
{
	if (*asked) {
		keep_met(ret, list, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		add_host(ret, list[i]);
	*asked = true;
}

static bool ask_hosts(const json_t *section, const struct cx_egress_wish *wish,
                      struct cx_allowance *ret)
{
	const json_t *list = json_object_get(section, "hosts");
	bool fits = true;

	for (size_t i = 0; i < json_array_size(list); i++)
		fits &= add_host(ret, json_string_value(
			json_array_get(list, i)));
	for (size_t i = 0; i < wish->host_count; i++)
		fits &= add_host(ret, wish->host[i]);
	return fits;
}

static void narrow_by_org(struct cx_allowance *ret, bool *asked,
                          const json_t *org)
{
	const json_t *list = json_object_get(org, "hosts");
	size_t count = json_array_size(list);
	CX_AUTO_FREE const char **text = cx_mem_array(count + 1, sizeof *text);

	if (!list || CX_PROMISE(org_hosts, false))
		return;
	for (size_t i = 0; i < count; i++)
		text[i] = json_string_value(json_array_get(list, i));
	narrow(ret, asked, text, count);
}

static int make_hosts(const json_t *section, const struct cx_egress_wish *wish,
                      const json_t *org, const struct cx_caveats *caveats,
                      struct cx_allowance *ret, struct cx_err *err)
{
	bool asked = wish->host_count > 0 || json_object_get(section, "hosts");

	if (!ask_hosts(section, wish, ret)) {
		cx_err_set(err, CX_E_INPUT_INVALID, "at most %d hosts",
		           CX_ALLOWANCE_HOSTS_MAX);
		return cx_err_at(err, "/egress/hosts");
	}
	narrow_by_org(ret, &asked, org);
	for (size_t i = 0; i < caveats->count; i++) {
		const struct cx_caveat *caveat = &caveats->item[i];
		union { char **given; const char *const *taken; } list = {
			caveat->host,
		};

		if (caveat->type == CX_CAVEAT_HOSTS)
			narrow(ret, &asked, list.taken, caveat->host_count);
	}
	return 0;
}

static bool has(const json_t *list, uint16_t port)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_integer_value(json_array_get(list, i)) == port)
			return true;
	return false;
}

static void drop_ports(struct cx_allowance *ret, const json_t *admitted)
{
	size_t kept = 0;

	for (size_t i = 0; i < ret->ports; i++)
		if (has(admitted, ret->port[i]))
			ret->port[kept++] = ret->port[i];
	ret->ports = kept;
	kept = 0;
	for (size_t i = 0; i < ret->hosts; i++) {
		struct cx_caveat_host host;

		if (cx_caveat_split(ret->host[i], &host) && host.port &&
		    !has(admitted, (uint16_t)host.port))
			free(ret->host[i]);
		else
			ret->host[kept++] = ret->host[i];
	}
	ret->hosts = kept;
}

static int make_ports(const json_t *section, const struct cx_config *config,
                      const json_t *org, struct cx_allowance *ret,
                      struct cx_err *err)
{
	const json_t *asked = json_object_get(section, "ports");
	const json_t *admitted = json_object_get(org, "ports");
	size_t count = asked ? json_array_size(asked) : config->port_count;

	if (count > CX_ALLOWANCE_PORTS_MAX) {
		cx_err_set(err, CX_E_INPUT_INVALID, "at most %d ports",
		           CX_ALLOWANCE_PORTS_MAX);
		return cx_err_at(err, "/egress/ports");
	}
	ret->ports = count;
	for (size_t i = 0; i < count; i++)
		ret->port[i] = asked ? (uint16_t)json_integer_value(
			json_array_get(asked, i)) : config->port[i];
	if (admitted && !CX_PROMISE(org_ports, false))
		drop_ports(ret, admitted);
	if (ret->ports > 0)
		return 0;
	cx_err_set(err, CX_E_DENIED_PORT, "none of these ports is left by "
	           "orgs.ID.egress.ports");
	return cx_err_at(err, "/egress/ports");
}

static void lower(const json_t *object, const char *name, uint64_t *bytes)
{
	int64_t max = cx_json_number(object, name, -1);

	if (max >= 0 && (uint64_t)max < *bytes)
		*bytes = (uint64_t)max;
}

int cx_allowance_make(const json_t *section, const struct cx_egress_wish *wish,
                      const struct cx_config *config, const char *org,
                      const struct cx_caveats *caveats, enum cx_tier tier,
                      struct cx_allowance *ret, struct cx_err *err)
{
	const json_t *ceiling = json_object_get(cx_config_org(config, org),
	                                        "egress");

	*ret = (struct cx_allowance){ .max_bytes = config->egress_max_bytes };
	if (tier == CX_TIER_NONE)
		return 0;
	lower(ceiling, "max_bytes", &ret->max_bytes);
	ret->job_bytes = ret->max_bytes;
	lower(section, "maxBytes", &ret->max_bytes);
	if (tier == CX_TIER_ALLOWLIST &&
	    make_hosts(section, wish, ceiling, caveats, ret, err) < 0)
		return -1;
	return make_ports(section, config, ceiling, ret, err);
}

json_t *cx_allowance_write(const struct cx_allowance *allowance)
{
	json_t *hosts = json_array(), *ports = json_array();

	for (size_t i = 0; i < allowance->hosts; i++)
		json_array_append_new(hosts, json_string(allowance->host[i]));
	for (size_t i = 0; i < allowance->ports; i++)
		json_array_append_new(ports, json_integer(allowance->port[i]));
	return json_pack("{s:o, s:o, s:I, s:I}", "hosts", hosts,
	                 "ports", ports,
	                 "maxBytes", (json_int_t)allowance->max_bytes,
	                 "jobBytes", (json_int_t)allowance->job_bytes);
}

bool cx_allowance_read(const json_t *value, struct cx_allowance *ret)
{
	const json_t *hosts = json_object_get(value, "hosts");
	const json_t *ports = json_object_get(value, "ports");
	int64_t max = cx_json_number(value, "maxBytes", -1);
	int64_t job = cx_json_number(value, "jobBytes", -1);

	*ret = (struct cx_allowance){
		.max_bytes = (uint64_t)max, .job_bytes = (uint64_t)job,
	};
	if (max < 0 || job < 0 ||
	    json_array_size(ports) > CX_ALLOWANCE_PORTS_MAX)
		return false;
	for (size_t i = 0; i < json_array_size(hosts); i++)
		add_host(ret, json_string_value(json_array_get(hosts, i)));
	ret->ports = json_array_size(ports);
	for (size_t i = 0; i < ret->ports; i++)
		ret->port[i] = (uint16_t)json_integer_value(
			json_array_get(ports, i));
	return true;
}

void cx_allowance_done(struct cx_allowance *allowance)
{
	for (size_t i = 0; i < allowance->hosts; i++)
		free(allowance->host[i]);
	free(allowance->host);
	allowance->host = NULL;
	allowance->hosts = 0;
}
