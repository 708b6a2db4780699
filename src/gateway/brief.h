/*
 * brief.h - a job's policy, as a registration and cx-gateway decide word it:
 * {tier, hosts?, ports?}.
 */
#ifndef CX_GATEWAY_BRIEF_H
#define CX_GATEWAY_BRIEF_H

#include "data/shape.h"
#include "model/decide.h"

enum {
	CX_BRIEF_HOSTS_MAX = 1024,
};

/* The members tier, hosts and ports, for a shape's table. */
#define CX_BRIEF_MEMBERS \
	{ .name = "tier", .kind = CX_SHAPE_TEXT, .required = true, \
	  .word = cx_tier_word + 1, .about = "How far the job may reach." }, \
	{ .name = "hosts", .kind = CX_SHAPE_LIST, .sub = &cx_brief_host, \
	  .max = CX_BRIEF_HOSTS_MAX, \
	  .about = "Its allowlist: host, *.host, host:port, an address." }, \
	{ .name = "ports", .kind = CX_SHAPE_LIST, .sub = &cx_brief_port, \
	  .max = CX_DECIDE_PORTS_MAX, \
	  .about = "Ports of what names none; default 80 and 443." }

extern const struct cx_shape cx_brief_host;
extern const struct cx_shape cx_brief_port;

/* Of a value that fits the shape. entry has room for CX_BRIEF_HOSTS_MAX, and
 * the policy points to it. input_invalid with the pointer of a faulty entry
 * below pointer. */
int cx_brief_read(const json_t *value, const char *pointer,
                  const struct cx_terrain *terrain, struct cx_entry *entry,
                  struct cx_policy *ret, struct cx_err *err);

#endif
