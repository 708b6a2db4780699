/*
 * nft.c - the generator: the chain that redirects a namespace's connections,
 * as the netlink messages that the kernel takes.
 *
 *   nft > HEADER
 *
 * libnftnl writes them here, so that what starts for each command need not.
 */
#include <netinet/in.h>

#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/expr.h>
#include <libnftnl/rule.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include "sys/portal.h"

enum {
	PRIORITY = -100, /* NF_IP_PRI_NAT_DST */
	IPV4_TO = 16, IPV6_TO = 24, /* the destination in the header */
	PAGE = 8192,
};

static const char TABLE[] = "cx", CHAIN[] = "out";

struct batch {
	char bytes[PAGE];
	size_t size;
	uint32_t sequence;
};

static struct nlmsghdr *begin(struct batch *batch, uint16_t type,
                              uint16_t flags)
{
	return nftnl_nlmsg_build_hdr(batch->bytes + batch->size, type,
	                             NFPROTO_INET, flags, ++batch->sequence);
}

static void end(struct batch *batch, const struct nlmsghdr *message)
{
	batch->size += (size_t)NLMSG_ALIGN(message->nlmsg_len);
}

static void add_table(struct batch *batch)
{
	struct nlmsghdr *message = begin(batch, NFT_MSG_NEWTABLE,
	                                 NLM_F_CREATE | NLM_F_EXCL);
	struct nftnl_table *table = nftnl_table_alloc();

	nftnl_table_set_str(table, NFTNL_TABLE_NAME, TABLE);
	nftnl_table_nlmsg_build_payload(message, table);
	nftnl_table_free(table);
	end(batch, message);
}

static void add_chain(struct batch *batch)
{
	struct nlmsghdr *message = begin(batch, NFT_MSG_NEWCHAIN,
	                                 NLM_F_CREATE | NLM_F_EXCL);
	struct nftnl_chain *chain = nftnl_chain_alloc();

	nftnl_chain_set_str(chain, NFTNL_CHAIN_TABLE, TABLE);
	nftnl_chain_set_str(chain, NFTNL_CHAIN_NAME, CHAIN);
	nftnl_chain_set_str(chain, NFTNL_CHAIN_TYPE, "nat");
	nftnl_chain_set_u32(chain, NFTNL_CHAIN_HOOKNUM, NF_INET_LOCAL_OUT);
	nftnl_chain_set_s32(chain, NFTNL_CHAIN_PRIO, PRIORITY);
	nftnl_chain_set_u32(chain, NFTNL_CHAIN_POLICY, NF_ACCEPT);
	nftnl_chain_nlmsg_build_payload(message, chain);
	nftnl_chain_free(chain);
	end(batch, message);
}

static void add_meta(struct nftnl_rule *rule, uint32_t key, uint8_t value)
{
	struct nftnl_expr *expr = nftnl_expr_alloc("meta");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_META_KEY, key);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_META_DREG, NFT_REG_1);
	nftnl_rule_add_expr(rule, expr);
	expr = nftnl_expr_alloc("cmp");
	nftnl_expr_set_u32(expr, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_CMP_OP, NFT_CMP_EQ);
	nftnl_expr_set(expr, NFTNL_EXPR_CMP_DATA, &value, sizeof value);
	nftnl_rule_add_expr(rule, expr);
}

static void add_destination(struct nftnl_rule *rule, uint32_t offset,
                            const void *address, uint32_t size)
{
	struct nftnl_expr *expr = nftnl_expr_alloc("payload");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_BASE,
	                   NFT_PAYLOAD_NETWORK_HEADER);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_OFFSET, offset);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_LEN, size);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1);
	nftnl_rule_add_expr(rule, expr);
	expr = nftnl_expr_alloc("cmp");
	nftnl_expr_set_u32(expr, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_CMP_OP, NFT_CMP_EQ);
	nftnl_expr_set(expr, NFTNL_EXPR_CMP_DATA, address, size);
	nftnl_rule_add_expr(rule, expr);
}

static void add_accept(struct nftnl_rule *rule)
{
	struct nftnl_expr *expr = nftnl_expr_alloc("immediate");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_IMM_VERDICT, NF_ACCEPT);
	nftnl_rule_add_expr(rule, expr);
}

static void add_redirect(struct nftnl_rule *rule, uint16_t port)
{
	uint16_t wire = htons(port);
	struct nftnl_expr *expr = nftnl_expr_alloc("immediate");

	nftnl_expr_set_u32(expr, NFTNL_EXPR_IMM_DREG, NFT_REG_1);
	nftnl_expr_set(expr, NFTNL_EXPR_IMM_DATA, &wire, sizeof wire);
	nftnl_rule_add_expr(rule, expr);
	expr = nftnl_expr_alloc("redir");
	nftnl_expr_set_u32(expr, NFTNL_EXPR_REDIR_REG_PROTO_MIN, NFT_REG_1);
	nftnl_rule_add_expr(rule, expr);
}

static struct nftnl_rule *new_rule(void)
{
	struct nftnl_rule *rule = nftnl_rule_alloc();

	nftnl_rule_set_str(rule, NFTNL_RULE_TABLE, TABLE);
	nftnl_rule_set_str(rule, NFTNL_RULE_CHAIN, CHAIN);
	return rule;
}

static void add_rule(struct batch *batch, struct nftnl_rule *rule,
                     uint16_t flags)
{
	struct nlmsghdr *message = begin(batch, NFT_MSG_NEWRULE,
	                                 NLM_F_CREATE | NLM_F_APPEND | flags);

	nftnl_rule_nlmsg_build_payload(message, rule);
	nftnl_rule_free(rule);
	end(batch, message);
}

/* ip daddr 127.0.0.0/8 accept; ip6 daddr ::1 accept */
static void add_loopback(struct batch *batch)
{
	static const uint8_t first = 127;
	struct nftnl_rule *rule = new_rule();

	add_meta(rule, NFT_META_NFPROTO, NFPROTO_IPV4);
	add_destination(rule, IPV4_TO, &first, sizeof first);
	add_accept(rule);
	add_rule(batch, rule, 0);
	rule = new_rule();
	add_meta(rule, NFT_META_NFPROTO, NFPROTO_IPV6);
	add_destination(rule, IPV6_TO, &in6addr_loopback,
	                sizeof in6addr_loopback);
	add_accept(rule);
	add_rule(batch, rule, 0);
}

int main(void)
{
	static struct batch batch; /* zeroed: no byte differs between builds */
	struct nftnl_rule *rule = new_rule();

	nftnl_batch_begin(batch.bytes, ++batch.sequence);
	end(&batch, (void *)batch.bytes);
	add_table(&batch);
	add_chain(&batch);
	add_loopback(&batch);
	/* meta l4proto tcp redirect to :3129; the last one's answer is asked
	 * for: it comes when the whole has been carried out */
	add_meta(rule, NFT_META_L4PROTO, IPPROTO_TCP);
	add_redirect(rule, CX_PORTAL_ANY_PORT);
	add_rule(&batch, rule, NLM_F_ACK);
	printf("enum { LAST_SEQUENCE = %u };\n"
	       "static const unsigned char batch[] = {", batch.sequence);
	{
		char *last = batch.bytes + batch.size;

		nftnl_batch_end(last, ++batch.sequence);
		end(&batch, (void *)last);
	}
	for (size_t i = 0; i < batch.size; i++)
		printf("%s0x%02x,", i % 12 ? " " : "\n\t",
		       (unsigned char)batch.bytes[i]);
	printf("\n};\n");
	return ferror(stdout) != 0;
}
