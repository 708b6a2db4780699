/* visit.c - see visit.h. */
#include "gateway/visit.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"

enum { SERVER_FAULT = 500, PORT_TLS = 443, AGAIN_MS = 1000 };

/* Those of the last origin stay. */
static void clear(struct cx_flow *flow, struct cx_visit *visit)
{
	memset(visit, 0, offsetof(struct cx_visit, admitted));
	visit->wall_ms = cx_clock_wall_ms();
	visit->begun_us = flow->ferry.now_us;
}

/* NULL: there is no log. */
static struct cx_visit *have(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_visit *visit;

	if (tunnel->visit || !flow->journal.path)
		return tunnel->visit;
	visit = cx_room_take(&flow->journal.visits);
	if (!visit)
		return NULL;
	memset(visit, 0, sizeof *visit);
	clear(flow, visit);
	tunnel->visit = visit;
	return visit;
}

void cx_visit_begin(struct cx_flow *flow, struct cx_tunnel *tunnel,
                    const char *asked, size_t size)
{
	struct cx_visit *visit;
	const char *at;

	cx_visit_end(flow, tunnel);
	visit = have(flow, tunnel);
	if (!visit)
		return;
	clear(flow, visit);
	/* what stands before an @ is a credential, and nobody's business */
	at = asked ? memrchr(asked, '@', size) : NULL;
	if (at) {
		size -= (size_t)(at + 1 - asked);
		asked = at + 1;
	}
	if (size >= sizeof visit->host)
		size = sizeof visit->host - 1;
	if (asked)
		memcpy(visit->host, asked, size);
}

void cx_visit_name(struct cx_tunnel *tunnel)
{
	struct cx_visit *visit = tunnel->visit;
	const struct cx_target *target = &tunnel->slot->target;

	if (!visit)
		return;
	visit->named = true;
	visit->port = target->port;
	if (target->host.kind == CX_HOST_LITERAL)
		cx_addr_write(&target->host.addr, visit->host);
	else
		snprintf(visit->host, sizeof visit->host, "%s",
		         target->host.name);
}

void cx_visit_blame(struct cx_tunnel *tunnel, const struct cx_job *job)
{
	if (tunnel->visit)
		tunnel->visit->blamed = job;
}

static void set(struct cx_visit *visit, const char *decision, uint16_t status,
                const char *reason)
{
	visit->decision = decision;
	visit->status = status;
	visit->reason = reason;
}

static void admit(struct cx_visit *visit, const struct cx_job *job,
                  const struct cx_judgement *judgement)
{
	const struct cx_upstream *upstream = judgement->upstream;

	if (judgement->outcome == CX_OUTCOME_ALLOW) {
		visit->admitted = judgement->reason;
		snprintf(visit->exception, sizeof visit->exception, "%s",
		         upstream ? upstream->id : "");
	}
	if (!visit->admitted)
		visit->admitted = cx_tier_text(job->policy.tier);
	set(visit, cx_decide_outcome(CX_OUTCOME_ALLOW), 200, visit->admitted);
}

void cx_visit_judge(struct cx_flow *flow, struct cx_tunnel *tunnel,
                    const struct cx_judgement *judgement)
{
	struct cx_visit *visit = have(flow, tunnel);

	if (!visit)
		return;
	visit->range = judgement->range;
	if (judgement->outcome == CX_OUTCOME_ALLOW ||
	    judgement->outcome == CX_OUTCOME_RESOLVE)
		admit(visit, tunnel->job, judgement);
	else
		set(visit, cx_decide_outcome(judgement->outcome),
		    judgement->status, judgement->reason);
}

/* Words of an answer that no judgement was behind. */
static enum cx_outcome outcome_of(uint16_t status)
{
	return status == 403 || status == 407 || status == 408 ||
	       (status >= 502 && status <= 504)
	       ? CX_OUTCOME_DENY : CX_OUTCOME_REJECT;
}

void cx_visit_refuse(struct cx_flow *flow, struct cx_tunnel *tunnel,
                     uint16_t status, const char *reason)
{
	struct cx_visit *visit = have(flow, tunnel);
	const char *allow = cx_decide_outcome(CX_OUTCOME_ALLOW);

	if (!visit || !reason || (visit->decision && visit->decision != allow))
		return;
	/* it was admitted, and the origin failed */
	if (visit->decision && status >= SERVER_FAULT)
		set(visit, allow, status, reason);
	else
		set(visit, cx_decide_outcome(outcome_of(status)), status,
		    reason);
}

void cx_visit_spend(struct cx_tunnel *tunnel)
{
	if (tunnel->visit)
		tunnel->visit->reason = "byte_quota_exceeded";
}

void cx_visit_reach(struct cx_tunnel *tunnel)
{
	struct cx_visit *visit = tunnel->visit;
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} peer = { 0 };
	socklen_t size = sizeof peer;

	if (!visit || getpeername(tunnel->end[CX_ORIGIN].fd, &peer.any,
	                          &size) < 0)
		return;
	visit->reached = true;
	visit->address.v6 = peer.any.sa_family == AF_INET6;
	if (visit->address.v6)
		memcpy(visit->address.byte, &peer.in6.sin6_addr, 16);
	else
		memcpy(visit->address.byte, &peer.in.sin_addr, 4);
}

static void text(struct cx_journal_line *line, const char *name,
                 const char *value)
{
	if (value && *value)
		cx_journal_text(line, name, value, false);
}

static void tell_place(const struct cx_visit *visit,
                       struct cx_journal_line *line)
{
	if (!visit->named && *visit->host)
		cx_journal_text(line, "asked", visit->host, true);
	if (!visit->named)
		return;
	text(line, "host", visit->host);
	if (visit->port)
		cx_journal_number(line, "port", visit->port);
}

static void tell(struct cx_flow *flow, const struct cx_visit *visit,
                 const struct cx_job *job, const char *via)
{
	struct cx_journal_line line;
	char begun[CX_SCRIBE_TIME_BYTES], address[CX_ADDR_TEXT_BYTES];

	line.size = 0;
	line.full = false;
	cx_scribe_time(visit->wall_ms, begun);
	text(&line, "time", begun);
	text(&line, "orgId", job ? job->org : NULL);
	text(&line, "jobId", job ? job->id : NULL);
	tell_place(visit, &line);
	text(&line, "via", via);
	text(&line, "decision", visit->decision);
	cx_journal_number(&line, "status", visit->status);
	text(&line, "reason", visit->reason);
	text(&line, "range", visit->range);
	if (visit->reached) {
		text(&line, "exception", visit->exception);
		cx_addr_write(&visit->address, address);
		text(&line, "address", address);
	}
	cx_journal_number(&line, "upBytes", visit->passed[CX_UP]);
	cx_journal_number(&line, "downBytes", visit->passed[CX_DOWN]);
	cx_journal_number(&line, "durationMs",
	                  (uint64_t)(flow->ferry.now_us - visit->begun_us) /
	                  1000);
	cx_journal_add(&flow->journal, &line);
}

void cx_visit_end(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	struct cx_visit *visit = tunnel->visit;

	if (!visit || !visit->decision)
		return;
	tell(flow, visit, tunnel->job ? tunnel->job : visit->blamed,
	     tunnel->transparent ? "transparent" : "proxy");
	clear(flow, visit);
}

void cx_visit_leave(struct cx_flow *flow, struct cx_tunnel *tunnel)
{
	if (!tunnel->visit)
		return;
	cx_visit_end(flow, tunnel);
	cx_room_give(&flow->journal.visits, tunnel->visit,
	             sizeof *tunnel->visit);
	tunnel->visit = NULL;
}

/* By the first port that it could have been for. */
static void judge_name(const struct cx_policy *policy, const char *name,
                       struct cx_visit *ret)
{
	struct cx_judgement judgement;
	struct cx_target target;

	cx_decide_target(policy, name, strlen(name),
	                 policy->ports ? policy->port[0] : PORT_TLS, &target,
	                 &judgement);
	snprintf(ret->host, sizeof ret->host, "%s", name);
	ret->named = judgement.outcome != CX_OUTCOME_REJECT;
	set(ret, cx_decide_outcome(judgement.outcome), judgement.status,
	    judgement.reason);
}

void cx_visit_refuse_name(struct cx_flow *flow, struct cx_job *job,
                          const char *name)
{
	struct cx_visit visit;

	if (!flow->journal.path ||
	    (strcmp(job->refused_name, name) == 0 &&
	     flow->clockwork.now_ms - job->refused_ms < AGAIN_MS))
		return;
	snprintf(job->refused_name, sizeof job->refused_name, "%s", name);
	job->refused_ms = flow->clockwork.now_ms;
	memset(&visit, 0, sizeof visit);
	clear(flow, &visit);
	judge_name(&job->policy, name, &visit);
	tell(flow, &visit, job, "resolver");
}
