/* decide.c - see decide.h. */
#include "model/decide.h"

#include <string.h>

#include "base/promise.h"
#include "model/range.h"

enum { BAD_REQUEST = 400, FORBIDDEN = 403, UNATTRIBUTED = 407,
       BAD_GATEWAY = 502, TIMED_OUT = 504, PORT_HTTP = 80, PORT_TLS = 443 };

static void say(struct cx_judgement *ret, enum cx_outcome outcome,
                uint16_t status, const char *reason)
{
	*ret = (struct cx_judgement){
		.outcome = outcome, .status = status, .reason = reason,
	};
}

static void deny(struct cx_judgement *ret, uint16_t status, const char *reason)
{
	say(ret, CX_OUTCOME_DENY, status, reason);
}

static void go_on(struct cx_judgement *ret)
{
	say(ret, CX_OUTCOME_RESOLVE, 0, NULL);
}

const char *cx_decide_outcome(enum cx_outcome outcome)
{
	switch (outcome) {
	case CX_OUTCOME_ALLOW:
		return "allow";
	case CX_OUTCOME_DENY:
		return "deny";
	case CX_OUTCOME_REJECT:
		return "reject";
	case CX_OUTCOME_RESOLVE:
		return "resolve";
	}
	return NULL;
}

static const char *reason_of(enum cx_attribution attribution)
{
	switch (attribution) {
	case CX_ATTRIBUTION_JOB:
		return NULL;
	case CX_ATTRIBUTION_NONE:
		return "unattributed";
	case CX_ATTRIBUTION_UNKNOWN:
		return "unregistered_token";
	case CX_ATTRIBUTION_EXPIRED:
		return "expired_token";
	case CX_ATTRIBUTION_MISMATCH:
		return "token_mismatch";
	case CX_ATTRIBUTION_REVOKED:
		return "job_revoked";
	}
	return "unattributed";
}

void cx_decide_job(enum cx_attribution attribution,
                   const struct cx_policy *policy, bool spent,
                   struct cx_judgement *ret)
{
	const char *reason = reason_of(attribution);

	if (!CX_PROMISE(request_attributed, !reason))
		deny(ret, UNATTRIBUTED, reason);
	else if (!CX_PROMISE(tier_reaches,
	                     policy->tier != CX_TIER_NONE &&
	                     policy->tier != CX_TIER_UNKNOWN))
		deny(ret, FORBIDDEN, "tier_none");
	else if (!CX_PROMISE(ceiling_admits, !spent))
		deny(ret, FORBIDDEN, "byte_quota_exceeded");
	else
		go_on(ret);
}

/* The name is the entry's, or ends with it behind a dot. */
static bool is_under(const char *name, const char *entry)
{
	size_t size = strlen(name);
	size_t length = strlen(entry);

	if (size < length || strcmp(name + size - length, entry) != 0)
		return false;
	return CX_PROMISE(match_at_dot, size == length ||
	                  name[size - length - 1] == '.');
}

bool cx_decide_covers(const struct cx_entry *entry, const struct cx_host *host)
{
	if (entry->host.kind != host->kind)
		return false;
	if (host->kind == CX_HOST_LITERAL)
		return cx_addr_is_same(&entry->host.addr, &host->addr);
	return is_under(host->name, entry->host.name);
}

static bool has_port(const uint16_t *list, size_t count, uint16_t port)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == port)
			return true;
	return false;
}

static bool is_policy_port(const struct cx_policy *policy, uint16_t port)
{
	if (policy->ports == 0)
		return port == PORT_HTTP || port == PORT_TLS;
	return has_port(policy->port, policy->ports, port);
}

/* By host first, then by port: the entry's where it names one. */
static const char *object(const struct cx_policy *policy,
                          const struct cx_target *target)
{
	bool covered = false;

	if (policy->tier == CX_TIER_DEFAULT_INTERNET)
		return CX_PROMISE(port_listed,
		                  is_policy_port(policy, target->port))
		       ? NULL : "denied_port";
	for (size_t i = 0; i < policy->entries; i++) {
		const struct cx_entry *entry = &policy->entry[i];

		if (!cx_decide_covers(entry, &target->host))
			continue;
		covered = true;
		if (entry->port ? entry->port == target->port
		                : is_policy_port(policy, target->port))
			return NULL;
	}
	if (covered)
		return "denied_port";
	return CX_PROMISE(host_listed, false) ? NULL : "denied_by_allowlist";
}

bool cx_decide_may_admit(const struct cx_policy *policy, const char *name)
{
	struct cx_host host;

	if (cx_host_read(name, strlen(name), &host) != CX_HOST_NAME ||
	    cx_host_is_local(host.name))
		return false;
	if (policy->tier == CX_TIER_DEFAULT_INTERNET)
		return true;
	for (size_t i = 0; i < policy->entries; i++)
		if (policy->tier == CX_TIER_ALLOWLIST &&
		    cx_decide_covers(&policy->entry[i], &host))
			return true;
	return false;
}

void cx_decide_known(const struct cx_policy *policy,
                     const struct cx_target *target, struct cx_judgement *ret)
{
	const char *reason = object(policy, target);

	if (reason)
		deny(ret, FORBIDDEN, reason);
	else if (target->host.kind == CX_HOST_LITERAL)
		cx_decide_answers(policy, target, CX_LOOKUP_FOUND,
		                  &target->host.addr, 1, ret);
	else if (!CX_PROMISE(name_not_local,
	                     !cx_host_is_local(target->host.name)))
		deny(ret, FORBIDDEN, "protected_name");
	else
		go_on(ret);
}

/* Where the port begins: behind the last colon that isn't an address's. */
static const char *find_port(const char *authority, size_t size)
{
	const char *bracket = memrchr(authority, ']', size);
	const char *from = bracket ? bracket : authority;

	return memrchr(from, ':', size - (size_t)(from - authority));
}

void cx_decide_target(const struct cx_policy *policy, const char *authority,
                      size_t size, uint16_t default_port,
                      struct cx_target *ret_target, struct cx_judgement *ret)
{
	const char *colon = find_port(authority, size);
	size_t length = colon ? (size_t)(colon - authority) : size;
	enum cx_host_kind kind = cx_host_read(authority, length,
	                                      &ret_target->host);

	ret_target->port = default_port;
	if (colon)
		ret_target->port = cx_host_port(colon + 1, size - length - 1);
	if (kind == CX_HOST_BAD)
		say(ret, CX_OUTCOME_REJECT, BAD_REQUEST, "bad_host");
	else if (!CX_PROMISE(host_unambiguous, kind != CX_HOST_AMBIGUOUS))
		say(ret, CX_OUTCOME_REJECT, BAD_REQUEST, "ambiguous_ipv4");
	else if (ret_target->port == 0)
		say(ret, CX_OUTCOME_REJECT, BAD_REQUEST, "bad_port");
	else
		cx_decide_known(policy, ret_target, ret);
}

/* The exception that lifts the range for this address of this target. */
static const struct cx_upstream *find_upstream(const struct cx_terrain *terrain,
                                               const struct cx_target *target,
                                               const struct cx_addr *addr)
{
	if (target->host.kind != CX_HOST_NAME)
		return NULL;
	for (size_t i = 0; i < terrain->upstreams; i++) {
		const struct cx_upstream *upstream = &terrain->upstream[i];

		if (!CX_PROMISE(exception_exact,
		                strcmp(upstream->host,
		                       target->host.name) == 0 &&
		                has_port(upstream->port, upstream->ports,
		                         target->port)))
			continue;
		for (size_t k = 0; k < upstream->prefixes; k++)
			if (cx_addr_is_in(addr, &upstream->prefix[k]))
				return upstream;
	}
	return NULL;
}

static bool is_local(const struct cx_terrain *terrain,
                     const struct cx_addr *addr)
{
	for (size_t i = 0; i < terrain->locals; i++)
		if (cx_addr_is_same(&terrain->local[i], addr))
			return true;
	return false;
}

/* true: this address may be dialled. */
static bool judge_address(const struct cx_terrain *terrain,
                          const struct cx_target *target,
                          const struct cx_addr *addr,
                          const struct cx_upstream **ret_upstream,
                          struct cx_judgement *ret)
{
	const char *range = cx_range_find(addr, terrain->nat64,
	                                  terrain->nat64s);
	const struct cx_prefix all = {
		*addr, addr->v6 ? 128 : 32
	};

	if (!CX_PROMISE(address_not_ours, !is_local(terrain, addr))) {
		deny(ret, FORBIDDEN, range ? "protected_address"
		                           : "local_address");
		return false;
	}
	if (CX_PROMISE(address_public, !range))
		return true;
	if (!cx_range_is_fixed(&all))
		*ret_upstream = find_upstream(terrain, target, addr);
	if (*ret_upstream)
		return true;
	deny(ret, FORBIDDEN, "protected_address");
	ret->range = range;
	return false;
}

static void fail(enum cx_lookup lookup, struct cx_judgement *ret)
{
	switch (lookup) {
	case CX_LOOKUP_NOT_FOUND:
		deny(ret, BAD_GATEWAY, "name_not_found");
		break;
	case CX_LOOKUP_TIMEOUT:
		deny(ret, TIMED_OUT, "dns_timeout");
		break;
	case CX_LOOKUP_ERROR:
		deny(ret, BAD_GATEWAY, "dns_error");
		break;
	case CX_LOOKUP_FOUND:
		deny(ret, BAD_GATEWAY, "dns_empty");
		break;
	}
}

void cx_decide_answers(const struct cx_policy *policy,
                       const struct cx_target *target, enum cx_lookup lookup,
                       const struct cx_addr *answer, size_t answers,
                       struct cx_judgement *ret)
{
	const struct cx_upstream *lifted = NULL;

	if (lookup != CX_LOOKUP_FOUND || answers == 0) {
		fail(lookup, ret);
		return;
	}
	for (size_t i = 0; i < answers; i++) {
		const struct cx_upstream *upstream = NULL;
		bool fit = judge_address(policy->terrain, target, &answer[i],
		                         &upstream, ret);

		if (i > 0 ? !CX_PROMISE(every_answer_judged, fit) : !fit)
			return;
		if (upstream)
			lifted = upstream;
	}
	say(ret, CX_OUTCOME_ALLOW, 200,
	    lifted ? "trusted_upstream" : cx_tier_text(policy->tier));
	ret->upstream = lifted;
	if (answers > CX_DECIDE_PINNED_MAX)
		answers = CX_DECIDE_PINNED_MAX;
	ret->pinned = (uint8_t)answers;
	memcpy(ret->pin, answer, answers * sizeof *answer);
}
