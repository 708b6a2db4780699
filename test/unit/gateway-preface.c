/*
 * gateway-preface.c - what a tunnel's first bytes decide, by tier and entry.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "base/count.h"
#include "base/fd.h"
#include "gateway/hello.h"
#include "gateway/preface.h"

static struct cx_target target(const char *host, uint16_t port)
{
	struct cx_target ret = { .port = port };

	cx_host_read(host, strlen(host), &ret.host);
	return ret;
}

/* www.example.org at the policy's ports, db.example at 5432 alone, an address
 * at 443 by name. */
static struct cx_policy policy_of(enum cx_tier tier,
                                  struct cx_entry entry[3])
{
	entry[0] = (struct cx_entry){ target("www.example.org", 0).host, 0 };
	entry[1] = (struct cx_entry){ target("db.example", 0).host, 5432 };
	entry[2] = (struct cx_entry){ target("93.184.216.34", 0).host, 443 };
	return (struct cx_policy){ .tier = tier, .entry = entry,
	                           .entries = 3 };
}

static void load(const char *name, struct cx_buf *ret)
{
	char path[64];
	struct cx_err err;

	snprintf(path, sizeof path, "test/data/hello/%s", name);
	assert_int_equal(cx_fd_load(AT_FDCWD, path, 1 << 16, ret, &err), 0);
}

static void test_begin(void **state)
{
	struct cx_entry entry[3];
	struct cx_policy list = policy_of(CX_TIER_ALLOWLIST, entry);
	struct cx_policy open = { .tier = CX_TIER_DEFAULT_INTERNET };
	struct cx_target web = target("www.example.org", 80);
	struct cx_target tls = target("www.example.org", 443);

	(void)state;
	assert_int_equal(cx_preface_begin(&list, &web), CX_PREFACE_HTTP);
	assert_int_equal(cx_preface_begin(&list, &tls), CX_PREFACE_HOLD);
	assert_int_equal(cx_preface_begin(&open, &web), CX_PREFACE_PASS);
	assert_int_equal(cx_preface_begin(&open, &tls), CX_PREFACE_PASS);
}

static void judges(const char *host, uint16_t port, const void *data,
                   size_t size, enum cx_preface wanted)
{
	struct cx_entry entry[3];
	struct cx_policy list = policy_of(CX_TIER_ALLOWLIST, entry);
	struct cx_target to = target(host, port);
	struct cx_judgement judgement = { .reason = NULL };

	assert_int_equal(cx_preface_judge(&list, &to, data, size, &judgement),
	                 wanted);
	if (wanted == CX_PREFACE_CLOSE)
		assert_memory_equal(judgement.reason, "denied_", 7);
}

static void test_hellos(void **state)
{
	static const struct {
		const char *file, *host;
		uint16_t port;
		enum cx_preface wanted;
	} row[] = {
		{ "ok/curl", "www.example.org", 443, CX_PREFACE_PASS },
		{ "ok/node", "db.example", 5432, CX_PREFACE_CLOSE },
		{ "ok/early", "www.example.org", 443, CX_PREFACE_CLOSE },
		{ "ok/nameless", "www.example.org", 443, CX_PREFACE_CLOSE },
		{ "ok/nameless", "db.example", 5432, CX_PREFACE_PASS },
		{ "ok/nameless", "93.184.216.34", 443, CX_PREFACE_PASS },
		{ "ok/curl", "93.184.216.34", 443, CX_PREFACE_PASS },
		{ "bad/two-names", "db.example", 5432, CX_PREFACE_CLOSE },
		{ "bad/cut", "www.example.org", 443, CX_PREFACE_HOLD },
		{ "bad/http", "www.example.org", 443, CX_PREFACE_CLOSE },
		{ "bad/http", "db.example", 5432, CX_PREFACE_PASS },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		CX_AUTO_BUF struct cx_buf text = { 0 };

		load(row[i].file, &text);
		judges(row[i].host, row[i].port, text.data, text.size,
		       row[i].wanted);
	}
	judges("www.example.org", 443, "", 0, CX_PREFACE_HOLD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_hellos),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
