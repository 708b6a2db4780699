/*
 * order.h - one exec, decided: what runs, for whom, within which limits.
 *
 * Deciding makes nothing and spends nothing: until cx_order_decide returns 0
 * every failure is a refusal that leaves no trace but its audit row.
 */
#ifndef CX_RUN_ORDER_H
#define CX_RUN_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/digest.h"
#include "data/json.h"
#include "model/profile.h"
#include "run/broker.h"
#include "run/section.h"
#include "run/trust.h"

struct cx_follow;
struct cx_relay;

/* The command line of exec. Texts are borrowed. */
struct cx_order_flags {
	struct cx_egress_wish egress;
	char *const *argv;          /* behind --; NULL: none */
	const char *command;        /* -c */
	const char *input;          /* --stdin */
	const char *const *in;      /* --in */
	size_t in_count;
	const char *const *out;     /* --out */
	size_t out_count;
	const char *runtime;        /* --runtime; NULL: the configuration's */
	const char *workspace;      /* --workspace: a name; NULL: none */
	bool dry_run;
	int64_t wait_ms;            /* for its turn there; store/turn.h */
	void (*waits)(void *context);
	void *waits_context;
	bool keep_carrier;
	struct cx_relay *relay;     /* takes the streams as they come; NULL */
	struct cx_follow *follow;   /* and makes events of them; NULL */
};

struct cx_order {
	const struct cx_order_flags *flags;
	struct cx_trust trust;
	struct cx_section section;
	struct cx_profile profile;
	char profile_digest[CX_DIGEST_TEXT];
	char own_id[CX_REGISTRY_ID_MAX]; /* a fresh job id */
	const char *job_id;              /* own_id, or the document's job */
	int input_fd;                    /* standard input, or -1 */
};

/* Who makes the sandbox: NULL is native, else an OCI runtime's name or path. */
const char *cx_order_runtime(const struct cx_broker *broker,
                             const struct cx_order_flags *flags);

/* Commands that the order has, 1 at least. */
size_t cx_order_count(const struct cx_order *order);

/* What was judged of a document, for a process that carries it out and holds
 * no key: enough to make the order anew. Texts are borrowed. */
struct cx_order_grant {
	struct cx_session session;
	const char *own_id, *image;
	const char *job_id;         /* NULL: none */
	enum cx_tier tier;
	const json_t *egress;       /* an allowance; NULL in tier none */
	int64_t now;
};

/* Everything but standard input. As cx_order_decide. */
int cx_order_judge(struct cx_broker *broker, const json_t *doc,
                   const struct cx_order_flags *flags, struct cx_order *ret,
                   struct cx_err *err);

/* The same order from the document (its carrier isn't looked at) and what was
 * judged of it. CX_E_INTERNAL when the broker's image is another. */
int cx_order_take_over(struct cx_broker *broker, const json_t *doc,
                       const struct cx_order_flags *flags,
                       const struct cx_order_grant *grant,
                       struct cx_order *ret, struct cx_err *err);

/* Fills *ret as far as it goes, also on failure. */
int cx_order_decide(struct cx_broker *broker, const json_t *doc,
                    const struct cx_order_flags *flags, struct cx_order *ret,
                    struct cx_err *err);

/* The profile of a document without its trust, for cx-run spec. */
int cx_order_sketch(struct cx_broker *broker, const json_t *doc,
                    const struct cx_order_flags *flags, struct cx_order *ret,
                    struct cx_err *err);

void cx_order_done(struct cx_order *order);

#define CX_AUTO_ORDER __attribute__((cleanup(cx_order_done)))

#endif
