/* limit.c - see limit.h. */
#include "sys/limit.h"

#include "base/buf.h"
#include "base/count.h"
#include "base/promise.h"
#include "sys/account.h"
#include "sys/subtree.h"

static const struct {
	enum cx_limit limit;
	const char *name;
} name[] = {
	{ CX_LIMIT_MEMORY, "memory" },
	{ CX_LIMIT_SWAP, "swap" },
	{ CX_LIMIT_PIDS, "pids" },
	{ CX_LIMIT_CPU, "cpu" },
};

const char *cx_limit_name(enum cx_limit limit)
{
	for (size_t i = 0; i < CX_COUNT(name); i++)
		if (name[i].limit == limit)
			return name[i].name;
	return "";
}

unsigned cx_limit_find(const char *text)
{
	for (size_t i = 0; i < CX_COUNT(name); i++)
		if (strcmp(name[i].name, text) == 0)
			return name[i].limit;
	return 0;
}

static void list(unsigned limits, struct cx_buf *ret)
{
	for (size_t i = 0; i < CX_COUNT(name); i++)
		if (limits & name[i].limit)
			cx_buf_print(ret, "%s%s", ret->size ? ", " : "",
			             name[i].name);
}

/* Root needs no delegation, but hierarchies; the number does where the user
 * has no name: delegate takes it. */
static void print_remedy(struct cx_buf *ret)
{
	struct cx_account account;

	cx_account_of(cx_subtree_uid(), &account);
	if (account.uid == 0) {
		cx_buf_text(ret, "mount them below /sys/fs/cgroup, writable "
		            "and with the memory, pids and cpu controllers");
		return;
	}
	cx_buf_text(ret, "let root run once \"cx-run delegate ");
	if (account.name[0])
		cx_buf_print(ret, "%s\"", account.name);
	else
		cx_buf_print(ret, "%u\"", (unsigned)account.uid);
}

static void refuse(unsigned missing, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf limits = { 0 };
	CX_AUTO_BUF struct cx_buf effort = { 0 };
	CX_AUTO_BUF struct cx_buf remedy = { 0 };

	print_remedy(&remedy);
	list(missing, &limits);
	list(missing & ~(unsigned)CX_LIMIT_SWAP, &effort);
	if (missing == CX_LIMIT_SWAP)
		list(CX_LIMIT_MEMORY, &effort);
	cx_err_set(err, CX_E_QUOTA_UNENFORCEABLE,
	           "no cgroup holds %s here; %s, or accept it by name with "
	           "limits.best_effort: [%s] in the configuration",
	           limits.data, remedy.data, effort.data);
}

int cx_limit_require(unsigned wanted, unsigned holds, unsigned best_effort,
                     struct cx_err *err)
{
	unsigned missing;

	if (best_effort & CX_LIMIT_MEMORY)
		best_effort |= CX_LIMIT_SWAP;
	missing = wanted & ~holds & ~best_effort;
	if (CX_PROMISE(limits_are_held, missing == 0))
		return 0;
	refuse(missing, err);
	return -1;
}
