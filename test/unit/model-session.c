/* model-session.c - sessions and claims: the whitelist, both ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "model/claims.h"

static const char TAIL[] = ",\"jti\":\"j1\",\"orgId\":\"acme\","
                           "\"surface\":\"chat\",\"userId\":\"ada\"}";

static void sessions(void **state)
{
	static const struct {
		const char *org, *user, *surface, *run;
		enum cx_class code;
		const char *pointer;
	} row[] = {
		{ "acme", "ada", "chat", NULL, CX_E_NONE, "" },
		{ "acme", "ada", "task", NULL, CX_E_NONE, "" },
		{ "acme", "ada", "agent", "r", CX_E_NONE, "" },
		{ "a b", "\xc3\xa5", "chat", NULL, CX_E_NONE, "" },
		{ "", "ada", "chat", NULL, CX_E_UNIDENTIFIABLE_CALLER,
		  "/orgId" },
		{ NULL, "ada", "chat", NULL, CX_E_UNIDENTIFIABLE_CALLER,
		  "/orgId" },
		{ "acme", " \t", "chat", NULL, CX_E_UNIDENTIFIABLE_CALLER,
		  "/userId" },
		{ "a\x1b", "ada", "chat", NULL, CX_E_INPUT_INVALID, "/orgId" },
		{ "a\xff", "ada", "chat", NULL, CX_E_INPUT_INVALID, "/orgId" },
		{ "acme", "a\xe2\x80\xa8", "chat", NULL, CX_E_INPUT_INVALID,
		  "/userId" },
		{ "cx:probe", "p", "task", NULL, CX_E_INPUT_INVALID,
		  "/orgId" },
		{ "acme", "ada", NULL, NULL, CX_E_INPUT_INVALID, "/surface" },
		{ "acme", "ada", "Chat", NULL, CX_E_INPUT_INVALID,
		  "/surface" },
		{ "acme", "ada", "agent", NULL, CX_E_INPUT_INVALID,
		  "/runId" },
		{ "acme", "ada", "agent", "", CX_E_INPUT_INVALID, "/runId" },
		{ "acme", "ada", "chat", "r", CX_E_INPUT_INVALID, "/runId" },
		{ "acme", "ada", "chat", "", CX_E_INPUT_INVALID, "/runId" },
		{ "acme", "ada", "agent", "r\n", CX_E_INPUT_INVALID,
		  "/runId" },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		struct cx_session session;
		struct cx_err err = { 0 };
		int result = cx_session_make(CX_SESSION_TENANT, row[i].org,
		                             row[i].user, row[i].surface,
		                             row[i].run, &session, &err);

		assert_int_equal(result, row[i].code ? -1 : 0);
		assert_int_equal(err.code, row[i].code);
		assert_string_equal(err.pointer, row[i].pointer);
	}
}

static void lengths(void **state)
{
	struct cx_session session;
	struct cx_err err;
	char text[258];

	(void)state;
	memset(text, 'u', 257);
	text[257] = '\0';
	assert_int_equal(cx_session_make(CX_SESSION_TENANT, "acme", text,
	                                 "chat", NULL, &session, &err), -1);
	text[256] = '\0';
	assert_int_equal(cx_session_make(CX_SESSION_TENANT, "acme", text,
	                                 "chat", NULL, &session, &err), 0);
	assert_string_equal(session.user_id, text);
}

static void reserved(void **state)
{
	struct cx_session session;
	struct cx_err err;

	(void)state;
	assert_int_equal(cx_session_make(CX_SESSION_RESERVED, "cx:probe", "p",
	                                 "task", NULL, &session, &err), 0);
	assert_int_equal(cx_session_make(CX_SESSION_RESERVED, "acme", "p",
	                                 "task", NULL, &session, &err), -1);
}

static int read_claims(const char *bytes, struct cx_claims *ret)
{
	struct cx_err err;
	int result = cx_claims_read(bytes, strlen(bytes), 86400, ret, &err);

	if (result < 0)
		assert_int_equal(err.code, CX_E_CARRIER_BAD_CLAIMS);
	return result;
}

/* The members up to jti; the rest is TAIL. */
static void starts(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} row[] = {
		{ "{\"aud\":\"i/execute\",\"exp\":20,\"iat\":10", true },
		{ "{\"aud\":\"i/execute\",\"exp\":86410,\"iat\":10", true },
		{ "{\"aud\":\"i/execute\",\"exp\":86411,\"iat\":10", false },
		{ "{\"aud\":\"i/execute\",\"exp\":10,\"iat\":10", false },
		{ "{\"aud\":\"i/execute\",\"exp\":9,\"iat\":10", false },
		{ "{\"aud\":\"i/execute\",\"exp\":20,\"iat\":-1", false },
		{ "{\"aud\":\"i/execute\",\"exp\":020,\"iat\":10", false },
		{ "{\"aud\":\"i/execute\",\"exp\":20.0,\"iat\":10", false },
		{ "{\"aud\":\"i/execute\",\"exp\":2e1,\"iat\":10", false },
		{ "{\"aud\":\"i/execute\",\"exp\":\"20\",\"iat\":10", false },
		{ "{\"aud\":\"i/execute\",\"exp\":20,\"iat\":-0", false },
		{ "{\"aud\":\"i/execute\", \"exp\":20,\"iat\":10", false },
		{ "{\"exp\":20,\"aud\":\"i/execute\",\"iat\":10", false },
		{ "{\"aud\":\"\",\"exp\":20,\"iat\":10", false },
		{ "{\"aud\":\"i\\/execute\",\"exp\":20,\"iat\":10", false },
		{ "{\"aud\":\"i\\u002fx\",\"exp\":20,\"iat\":10", false },
		{ "{\"aud\":\"i/probe\",\"exp\":20,\"iat\":10", true },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		CX_AUTO_BUF struct cx_buf bytes = { 0 };
		struct cx_claims claims;

		cx_buf_text(&bytes, row[i].text);
		cx_buf_text(&bytes, TAIL);
		assert_int_equal(read_claims(bytes.data, &claims),
		                 row[i].good ? 0 : -1);
	}
}

static void tails(void **state)
{
	static const char *const bad[] = {
		",\"jti\":\"j1\",\"orgId\":\"acme\",\"surface\":\"chat\","
		"\"userId\":\"ada\"} ",
		",\"jti\":\"j1\",\"orgId\":\"acme\",\"surface\":\"chat\","
		"\"userId\":\"ada\",\"z\":1}",
		",\"jti\":\"j1\",\"orgId\":\"acme\",\"orgId\":\"evil\","
		"\"surface\":\"chat\",\"userId\":\"ada\"}",
		",\"jti\":\"j 1\",\"orgId\":\"acme\",\"surface\":\"chat\","
		"\"userId\":\"ada\"}",
		",\"jti\":\"\",\"orgId\":\"acme\",\"surface\":\"chat\","
		"\"userId\":\"ada\"}",
		",\"jti\":\"j1\",\"orgId\":\"acme\",\"runId\":null,"
		"\"surface\":\"chat\",\"userId\":\"ada\"}",
		",\"jti\":\"j1\",\"orgId\":\"ac\tme\",\"surface\":\"chat\","
		"\"userId\":\"ada\"}",
		",\"jti\":\"j1\",\"orgId\":\"acme\",\"surface\":\"chat\","
		"\"userId\":\"ada",
	};

	(void)state;
	for (size_t i = 0; i < CX_COUNT(bad); i++) {
		CX_AUTO_BUF struct cx_buf bytes = { 0 };
		struct cx_claims claims;

		cx_buf_text(&bytes, "{\"aud\":\"i/read\",\"exp\":20,"
		                    "\"iat\":10");
		cx_buf_text(&bytes, bad[i]);
		assert_int_equal(read_claims(bytes.data, &claims), -1);
	}
}

static void there_and_back(void **state)
{
	struct cx_claims claims = {
		.aud = "0123/read", .jti = "a_-9", .iat = 1900000000,
		.exp = 1900000900,
		.session = { .org_id = "a\"c\\me", .user_id = "\xc3\xa5\xf0"
		             "\x9f\x98\x80", .run_id = "r",
		             .surface = CX_SURFACE_AGENT },
	};
	CX_AUTO_BUF struct cx_buf bytes = { 0 };
	struct cx_claims again;

	(void)state;
	cx_claims_write(&claims, &bytes);
	assert_string_equal(bytes.data,
	                    "{\"aud\":\"0123/read\",\"exp\":1900000900,"
	                    "\"iat\":1900000000,\"jti\":\"a_-9\","
	                    "\"orgId\":\"a\\\"c\\\\me\",\"runId\":\"r\","
	                    "\"surface\":\"agent\",\"userId\":\"\xc3\xa5\xf0"
	                    "\x9f\x98\x80\"}");
	assert_int_equal(read_claims(bytes.data, &again), 0);
	assert_string_equal(again.session.org_id, claims.session.org_id);
	assert_string_equal(again.session.user_id, claims.session.user_id);
	assert_string_equal(again.session.run_id, "r");
	assert_int_equal(again.session.surface, CX_SURFACE_AGENT);
	assert_int_equal(again.exp, claims.exp);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(sessions),
		cmocka_unit_test(lengths),
		cmocka_unit_test(reserved),
		cmocka_unit_test(starts),
		cmocka_unit_test(tails),
		cmocka_unit_test(there_and_back),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
