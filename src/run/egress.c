/* egress.c - see egress.h. */
#include "run/egress.h"

#include "base/promise.h"
#include "base/str.h"
#include "model/narrow.h"
#include "run/courier.h"

static const char *const tiers[] = {
	"none", "allowlist", "default_internet", NULL,
};

static const struct cx_shape host = {
	.kind = CX_SHAPE_TEXT, .min = 1, .max = CX_CAVEAT_HOST_MAX - 1,
	.fits = cx_caveat_is_host,
	.about = "host, *.host or host:port",
};
static const struct cx_shape port = {
	.kind = CX_SHAPE_NUMBER, .min = 1, .max = 65535,
};

const struct cx_shape cx_egress_member[] = {
	{ .name = "tier", .kind = CX_SHAPE_TEXT, .word = tiers,
	  .about = "How far the command may reach." },
	{ .name = "hosts", .kind = CX_SHAPE_LIST, .sub = &host, .max = 512,
	  .about = "What tier allowlist may reach." },
	{ .name = "ports", .kind = CX_SHAPE_LIST, .sub = &port, .min = 1,
	  .max = 16,
	  .about = "Ports of entries that name none; 80 and 443 by default." },
	{ .name = "maxBytes", .kind = CX_SHAPE_NUMBER, .min = 1,
	  .max = 9007199254740991,
	  .about = "Bytes in both directions; 1 GiB by default." },
	{ .name = NULL },
};

static const struct cx_shape shape = {
	.name = "egress", .kind = CX_SHAPE_OBJECT, .sub = cx_egress_member,
};

static int refuse(struct cx_err *err, const char *pointer, const char *what)
{
	cx_err_set(err, CX_E_CAVEAT_REFUSED,
	           "the carrier doesn't allow this %s", what);
	return cx_err_at(err, "%s", pointer);
}

static int check_host(const struct cx_caveats *caveats, const char *entry,
                      const char *pointer, struct cx_err *err)
{
	if (!CX_PROMISE(caveat_hosts, cx_narrow_admits_host(caveats, entry)))
		return refuse(err, pointer, "host");
	return 0;
}

static int check_hosts(const json_t *section,
                       const struct cx_egress_wish *wish,
                       const struct cx_caveats *caveats, struct cx_err *err)
{
	const json_t *list = json_object_get(section, "hosts");
	char pointer[40];

	for (size_t i = 0; i < json_array_size(list); i++) {
		snprintf(pointer, sizeof pointer, "/egress/hosts/%zu", i);
		if (check_host(caveats,
		               json_string_value(json_array_get(list, i)),
		               pointer, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < wish->host_count; i++)
		if (check_host(caveats, wish->host[i], "", err) < 0)
			return -1;
	return 0;
}

/* What was asked for in so many words; CX_TIER_UNKNOWN: nothing was. */
static enum cx_tier asked(const json_t *section,
                          const struct cx_egress_wish *wish)
{
	const char *text = wish->tier ? wish->tier
	                              : cx_json_text(section, "tier");
	enum cx_tier tier = CX_TIER_UNKNOWN;

	if (text && cx_tier_find(text, &tier))
		return tier;
	if (wish->host_count ||
	    json_array_size(json_object_get(section, "hosts")))
		return CX_TIER_ALLOWLIST;
	return CX_TIER_UNKNOWN;
}

static enum cx_tier narrower(enum cx_tier a, enum cx_tier b)
{
	return a < b ? a : b;
}

static enum cx_tier ceiling(const struct cx_config *config, const char *org)
{
	const json_t *egress = json_object_get(cx_config_org(config, org),
	                                       "egress");
	const char *text = cx_json_text(egress, "tier");
	enum cx_tier tier = CX_TIER_DEFAULT_INTERNET;

	if (text && !cx_tier_find(text, &tier))
		return CX_TIER_NONE;
	/* a list of hosts is one to keep to */
	return json_object_get(egress, "hosts")
	       ? narrower(tier, CX_TIER_ALLOWLIST) : tier;
}

int cx_egress_resolve(const json_t *section, const struct cx_egress_wish *wish,
                      const struct cx_config *config, const char *org,
                      const struct cx_caveats *caveats, enum cx_tier *ret,
                      struct cx_err *err)
{
	enum cx_tier tier;

	if (section && cx_shape_check(&shape, section, "/egress",
	                              CX_E_INPUT_INVALID, err) < 0)
		return -1;
	if (check_hosts(section, wish, caveats, err) < 0)
		return -1;
	tier = asked(section, wish);
	if (tier != CX_TIER_UNKNOWN &&
	    !CX_PROMISE(caveat_egress, cx_narrow_admits_tier(caveats, tier)))
		return refuse(err, "/egress/tier", "tier");
	if (tier == CX_TIER_UNKNOWN)
		tier = narrower(config->egress_tier, cx_narrow_tier(caveats));
	*ret = narrower(tier, ceiling(config, org));
	return 0;
}

int cx_egress_check_host(const char *entry, struct cx_err *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789"
		"-.*:";
	char odd = entry[strspn(entry, letters)];

	if (cx_caveat_is_host(entry))
		return 0;
	if (odd >= ' ' && odd < 127)
		return cx_err_set(err, CX_E_USAGE, "--host: '%c' can't stand "
		                  "in host, *.host or host:port; give several "
		                  "by several --host", odd);
	return cx_err_set(err, CX_E_USAGE, "--host takes host, *.host or "
	                  "host:port");
}

int cx_egress_require(enum cx_tier tier, const struct cx_config *config,
                      struct cx_err *err)
{
	if (CX_PROMISE(egress_gateway, tier == CX_TIER_NONE ||
	               cx_courier_require(config, err) == 0))
		return 0;
	return cx_err_at(err, "/egress/tier");
}
