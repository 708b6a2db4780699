/* preface.c - see preface.h. */
#include "gateway/preface.h"

#include <string.h>

#include "base/promise.h"
#include "gateway/hello.h"

enum { PORT_HTTP = 80, FORBIDDEN = 403 };

/* An entry of the list names this host and this port. */
static bool is_named(const struct cx_policy *policy,
                     const struct cx_target *target)
{
	for (size_t i = 0; i < policy->entries; i++)
		if (policy->entry[i].port == target->port &&
		    cx_decide_covers(&policy->entry[i], &target->host))
			return true;
	return false;
}

enum cx_preface cx_preface_begin(const struct cx_policy *policy,
                                 const struct cx_target *target)
{
	if (policy->tier != CX_TIER_ALLOWLIST)
		return CX_PREFACE_PASS;
	if (!CX_PROMISE(plain_by_request, target->port != PORT_HTTP))
		return CX_PREFACE_HTTP;
	return CX_PREFACE_HOLD;
}

static enum cx_preface refuse(struct cx_judgement *ret, const char *reason)
{
	*ret = (struct cx_judgement){
		.outcome = CX_OUTCOME_DENY, .status = FORBIDDEN,
		.reason = reason,
	};
	return CX_PREFACE_CLOSE;
}

/* The hello's name at the target's port, judged as a request for it. */
static bool is_listed(const struct cx_policy *policy,
                      const struct cx_target *target, const char *name,
                      struct cx_judgement *ret)
{
	struct cx_target asked = { .port = target->port };

	if (cx_host_read(name, strlen(name), &asked.host) != CX_HOST_NAME) {
		refuse(ret, "denied_by_allowlist");
		return false;
	}
	cx_decide_known(policy, &asked, ret);
	return ret->outcome == CX_OUTCOME_RESOLVE;
}

static enum cx_preface judge_other(const struct cx_policy *policy,
                                   const struct cx_target *target,
                                   struct cx_judgement *ret)
{
	if (CX_PROMISE(tunnel_is_tls, is_named(policy, target)))
		return CX_PREFACE_PASS;
	return refuse(ret, "denied_by_allowlist");
}

enum cx_preface cx_preface_judge(const struct cx_policy *policy,
                                 const struct cx_target *target,
                                 const uint8_t *data, size_t size,
                                 struct cx_judgement *ret)
{
	struct cx_hello hello;

	switch (cx_hello_read(data, size, &hello)) {
	case CX_HELLO_MORE:
		return CX_PREFACE_HOLD;
	case CX_HELLO_OTHER:
	case CX_HELLO_NAMELESS:
		return judge_other(policy, target, ret);
	case CX_HELLO_NAMED:
		if (CX_PROMISE(hello_listed, is_listed(policy, target,
		                                       hello.name, ret)))
			return CX_PREFACE_PASS;
		return CX_PREFACE_CLOSE;
	case CX_HELLO_BAD:
		break;
	}
	return refuse(ret, "denied_by_allowlist");
}
