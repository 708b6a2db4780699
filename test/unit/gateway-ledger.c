/*
 * gateway-ledger.c - lines that are added to a file: whole, within its bound,
 * put aside in order; and how a line is made.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>

#include "../lib/place.h"
#include "base/fd.h"
#include "base/path.h"
#include "gateway/journal.h"
#include "gateway/ledger.h"

static struct cx_ledger open_ledger(uint64_t max_bytes, uint64_t keep)
{
	struct cx_logsite site = { .name = "log", .max_bytes = max_bytes,
		                   .keep = keep };
	struct cx_ledger ledger;

	site.folder_fd = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(site.folder_fd >= 0);
	assert_int_equal(cx_ledger_open(&site, &ledger), 0);
	return ledger;
}

static void close_ledger(struct cx_ledger *ledger)
{
	cx_ledger_done(ledger);
	cx_logsite_done(&ledger->site);
}

static void add(struct cx_ledger *ledger, const char *lines)
{
	assert_int_equal(cx_ledger_add(ledger, lines, strlen(lines)),
	                 strlen(lines));
}

/* What stands in the file, NULL: there is none. */
static void holds(const struct cx_ledger *ledger, const char *name,
                  const char *text)
{
	CX_AUTO_BUF struct cx_buf got = { 0 };
	struct cx_err err;

	if (text)
		assert_int_equal(cx_fd_load(ledger->site.folder_fd, name,
		                            4096, &got, &err), 0);
	else
		assert_int_equal(faccessat(ledger->site.folder_fd, name, F_OK,
		                           0), -1);
	if (text)
		assert_string_equal(got.data ? got.data : "", text);
}

static void rotates(void **state)
{
	struct cx_ledger ledger = open_ledger(8, 2);

	(void)state;
	add(&ledger, "aaa\nbbb\n");
	holds(&ledger, "log", "aaa\nbbb\n");
	holds(&ledger, "log.1", NULL);
	add(&ledger, "ccc\nddd\neee\nfff\nggg\n");
	holds(&ledger, "log", "ggg\n");
	holds(&ledger, "log.1", "eee\nfff\n");
	holds(&ledger, "log.2", "ccc\nddd\n");
	holds(&ledger, "log.3", NULL);
	/* one that no file could hold stands by itself */
	add(&ledger, "0123456789\n");
	holds(&ledger, "log", "0123456789\n");
	holds(&ledger, "log.1", "ggg\n");
	close_ledger(&ledger);
	ledger = open_ledger(4, 0);
	add(&ledger, "hhh\niii\n");
	holds(&ledger, "log", "iii\n");
	holds(&ledger, "log.1", "ggg\n");
	close_ledger(&ledger);
}

static void two_share(void **state)
{
	struct cx_ledger one = open_ledger(8, 9), two = open_ledger(8, 9);

	(void)state;
	add(&one, "aaa\n");
	add(&two, "bbb\n");
	add(&one, "ccc\n"); /* puts it aside */
	add(&two, "ddd\n"); /* and this one notices */
	holds(&one, "log.1", "aaa\nbbb\n");
	holds(&one, "log", "ccc\nddd\n");
	/* moved by somebody else */
	assert_int_equal(renameat(one.site.folder_fd, "log",
	                          one.site.folder_fd, "moved"), 0);
	add(&two, "eee\n");
	add(&one, "fff\n");
	holds(&one, "log", "eee\nfff\n");
	close_ledger(&one);
	close_ledger(&two);
}

static void ends_a_torn_line(void **state)
{
	struct cx_ledger ledger = open_ledger(4096, 1);

	(void)state;
	add(&ledger, "aaa\n");
	assert_int_equal(write(ledger.fd, "tor", 3), 3);
	add(&ledger, "bbb\n");
	holds(&ledger, "log", "aaa\ntor\nbbb\n");
	close_ledger(&ledger);
}

/* A file that can't grow takes a line whole or not at all. */
static void writes_whole_or_not(void **state)
{
	struct cx_ledger ledger = open_ledger(4096, 1);
	struct rlimit whole, little;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &whole), 0);
	little = whole;
	little.rlim_cur = 6;
	add(&ledger, "aaa\n");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	assert_int_equal(cx_ledger_add(&ledger, "bbb\n", 4), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
	holds(&ledger, "log", "aaa\n");
	add(&ledger, "bbb\n");
	holds(&ledger, "log", "aaa\nbbb\n");
	close_ledger(&ledger);
}

static void waits_once(void **state)
{
	struct cx_ledger one = open_ledger(4096, 1), two = open_ledger(4096, 1);

	(void)state;
	one.patience_us = 1000;
	assert_int_equal(flock(two.fd, LOCK_EX), 0);
	assert_int_equal(cx_ledger_add(&one, "aaa\n", 4), 0);
	assert_int_equal(errno, ETIMEDOUT);
	assert_int_equal(one.patience_us, 0);
	assert_int_equal(flock(two.fd, LOCK_UN), 0);
	add(&one, "aaa\n");
	assert_true(one.patience_us > 0);
	close_ledger(&one);
	close_ledger(&two);
}

static void takes_no_other_file(void **state)
{
	struct cx_ledger ledger = open_ledger(4096, 1);
	struct cx_ledger other;

	(void)state;
	assert_int_equal(linkat(ledger.site.folder_fd, "log",
	                        ledger.site.folder_fd, "log.1", 0), 0);
	assert_int_equal(cx_ledger_open(&ledger.site, &other), -1);
	assert_int_equal(unlinkat(ledger.site.folder_fd, "log", 0), 0);
	assert_int_equal(symlinkat("log.1", ledger.site.folder_fd, "log"), 0);
	assert_int_equal(cx_ledger_open(&ledger.site, &other), -1);
	assert_int_equal(cx_ledger_add(&ledger, "aaa\n", 4), 0);
	close_ledger(&ledger);
}

static void writes_a_line(void **state)
{
	struct cx_journal_line line = { .size = 0 };

	(void)state;
	cx_journal_text(&line, "a", "x\"\\\n\x7f\xc3\xa4", false);
	cx_journal_text(&line, "b", "\xc3\xa4\x80", true);
	cx_journal_number(&line, "c", UINT64_MAX);
	assert_false(line.full);
	line.text[line.size] = '\0';
	assert_string_equal(line.text,
		"{\"a\":\"x\\u0022\\u005c\\u000a\\u007f\xc3\xa4\","
		"\"b\":\"\\u00c3\\u00a4\\u0080\",\"c\":18446744073709551615");
	for (int i = 0; i < 200; i++)
		cx_journal_text(&line, "d", "0123456789012345678901234", true);
	assert_true(line.full);
	assert_true(line.size < sizeof line.text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, place_begin, place_end)

int main(void)
{
	const struct CMUnitTest test[] = {
		TEST(rotates),
		TEST(two_share),
		TEST(ends_a_torn_line),
		TEST(writes_whole_or_not),
		TEST(waits_once),
		TEST(takes_no_other_file),
		cmocka_unit_test(writes_a_line),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
