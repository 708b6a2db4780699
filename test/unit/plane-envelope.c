/*
 * plane-envelope.c - a carrier's text, taken apart and put together, and the
 * chain of MACs over it. The expected MACs were computed from the description
 * of the format by another program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/hex.h"
#include "plane/envelope.h"

static const char CLAIMS[] = "{\"aud\":\"i/execute\"}";
static const char COMMANDS[] = "{\"commands\":1}";
static const char EGRESS[] = "{\"egress\":\"none\"}";
static const char WHOLE[] =
	"cxs1.k1.eyJhdWQiOiJpL2V4ZWN1dGUifQ~eyJjb21tYW5kcyI6MX0"
	"~eyJlZ3Jlc3MiOiJub25lIn0"
	".0EgS6gtzMb1xexicjTooGtAHq-ViWGftafORdwH7dNE";

#define MAC43 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static void check_mac(const struct cx_mac *mac, const char *hex)
{
	char text[65];

	cx_hex_write(mac->byte, sizeof mac->byte, text);
	assert_string_equal(text, hex);
}

static void chains(void **state)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_mac_key key;
	struct cx_mac mac[3];
	uint8_t secret[32], k[32];

	(void)state;
	for (uint8_t i = 0; i < 32; i++)
		secret[i] = i;
	cx_mac_derive(secret, "cx session v1", k);
	cx_mac_key_make(k, sizeof k, &key);
	cx_envelope_begin(&key, "k1", CLAIMS, strlen(CLAIMS), &mac[0]);
	check_mac(&mac[0], "2ed9b399dc01a42a43ab1e69983d7f79871834427a05e709"
	                   "94b5d11d7745dcfa");
	cx_envelope_chain(&mac[0], COMMANDS, strlen(COMMANDS), &mac[1]);
	check_mac(&mac[1], "24944ff41770bccb07f2a9a7f3351cca209952367a99a727"
	                   "44515ecbdf970980");
	cx_envelope_chain(&mac[1], EGRESS, strlen(EGRESS), &mac[2]);
	check_mac(&mac[2], "d04812ea0b7331bd717b189c8d3a281ad007abe5625867ed"
	                   "69f3917701fb74d1");
	cx_envelope_start("k1", CLAIMS, strlen(CLAIMS), &text);
	cx_envelope_add(COMMANDS, strlen(COMMANDS), &text);
	cx_envelope_add(EGRESS, strlen(EGRESS), &text);
	cx_envelope_end(&mac[2], &text);
	assert_string_equal(text.data, WHOLE);
}

static void parts(void **state)
{
	static struct cx_envelope envelope;
	struct cx_err err;

	(void)state;
	assert_int_equal(cx_envelope_read(WHOLE, strlen(WHOLE), &envelope,
	                                  &err), 0);
	assert_string_equal(envelope.kid, "k1");
	assert_int_equal(envelope.claims.size, strlen(CLAIMS));
	assert_memory_equal(envelope.bytes + envelope.claims.at, CLAIMS,
	                    strlen(CLAIMS));
	assert_int_equal(envelope.caveat_count, 2);
	assert_int_equal(envelope.caveat[1].size, strlen(EGRESS));
	assert_memory_equal(envelope.bytes + envelope.caveat[1].at, EGRESS,
	                    strlen(EGRESS));
	check_mac(&envelope.mac, "d04812ea0b7331bd717b189c8d3a281ad007abe56258"
	                         "67ed69f3917701fb74d1");
}

static void grammar(void **state)
{
	static const struct {
		const char *text;
		enum cx_class code;
	} row[] = {
		{ "", CX_E_CARRIER_MALFORMED },
		{ "cxs1", CX_E_CARRIER_MALFORMED },
		{ "cxs1.", CX_E_CARRIER_MALFORMED },
		{ ".k1.AA." MAC43, CX_E_CARRIER_WRONG_VERSION },
		{ "cxs2.k1.AA." MAC43, CX_E_CARRIER_WRONG_VERSION },
		{ "cxs.k1.AA." MAC43, CX_E_CARRIER_WRONG_VERSION },
		{ "cxs11.k1.AA." MAC43, CX_E_CARRIER_WRONG_VERSION },
		{ "CXS1.k1.AA." MAC43, CX_E_CARRIER_WRONG_VERSION },
		{ "cxs2.k1.A A." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs2.k1.A\xc3\xa4." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.AA." MAC43, CX_E_NONE },
		{ "cxs1.k1.AAA~AA~AAAA." MAC43, CX_E_NONE },
		{ "cxs1..AA." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.K.AA." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k_1.AA." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k~1.AA." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.A." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.AB." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.AAB." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.~AA." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.AA~." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.AA~~AA." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.AA~AB." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.AA." MAC43 "A", CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.AA.A" , CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.AA." MAC43 ".", CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.AA." MAC43 ".x", CX_E_CARRIER_MALFORMED },
		{ "cxs1.k1.A.A." MAC43, CX_E_CARRIER_MALFORMED },
		{ "cxs1.abcdefghijklmnopqrstuvwxyz-01234.AA." MAC43,
		  CX_E_NONE },
		{ "cxs1.abcdefghijklmnopqrstuvwxyz-012345.AA." MAC43,
		  CX_E_CARRIER_MALFORMED },
	};
	static struct cx_envelope envelope;

	(void)state;
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		struct cx_err err = { 0 };
		int result = cx_envelope_read(row[i].text,
		                              strlen(row[i].text), &envelope,
		                              &err);

		if (result != (row[i].code ? -1 : 0) ||
		    err.code != row[i].code)
			fail_msg("%s: %s", row[i].text,
			         cx_err_name(err.code));
	}
}

static void lengths(void **state)
{
	static struct cx_envelope envelope;
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err err;

	(void)state;
	cx_buf_text(&text, "cxs1.k1.AA");
	while (text.size < CX_ENVELOPE_MAX_BYTES - 44 - 2)
		cx_buf_text(&text, "~AA");
	while (text.size < CX_ENVELOPE_MAX_BYTES - 44)
		cx_buf_byte(&text, 'A');
	cx_buf_text(&text, "." MAC43);
	assert_int_equal(text.size, CX_ENVELOPE_MAX_BYTES);
	assert_int_equal(cx_envelope_read(text.data, text.size, &envelope,
	                                  &err), 0);
	assert_true(envelope.caveat_count > 1300);
	cx_buf_byte(&text, 'A');
	assert_int_equal(cx_envelope_read(text.data, text.size, &envelope,
	                                  &err), -1);
	assert_int_equal(err.code, CX_E_CARRIER_MALFORMED);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(chains),
		cmocka_unit_test(parts),
		cmocka_unit_test(grammar),
		cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
