/* box-hasher.c - the digest is right whenever the process that makes it dies. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "box/hasher.h"

enum { PARTS = 40 };

/* When it is killed: before part n; never. */
static const int killed_at[] = { -1, 0, 1, 2, 17, PARTS - 1 };

static void fill(char *slot, size_t size, int part)
{
	for (size_t i = 0; i < size; i++)
		slot[i] = (char)(i * 7 + (size_t)part);
}

static size_t size_of(int part)
{
	return (size_t)part * 6151 % CX_HASHER_SLOT_BYTES + 1;
}

static char *free_slot(struct cx_hasher *hasher)
{
	char *slot;

	while (!(slot = cx_hasher_slot(hasher)))
		cx_hasher_hear(hasher);
	return slot;
}

static void check(int kill_at)
{
	struct cx_digest_stream begun[2], own[2];
	struct cx_hasher hasher = CX_HASHER_NONE;

	for (int i = 0; i < 2; i++) {
		cx_digest_start(&begun[i]);
		cx_digest_add(&begun[i], "begun", 5);
		own[i] = begun[i];
	}
	assert_true(cx_hasher_start(begun, &hasher));
	for (int part = 0; part < PARTS; part++) {
		size_t size = size_of(part);
		char *slot = free_slot(&hasher);

		if (part == kill_at)
			kill(hasher.pid, SIGKILL);
		fill(slot, size, part);
		cx_digest_add(&own[part % 3 == 0], slot, size);
		cx_hasher_give(&hasher, part % 3 == 0, size);
	}
	cx_hasher_end(&hasher, &begun[0], &begun[1]);
	for (int i = 0; i < 2; i++) {
		struct cx_digest a, b;

		cx_digest_end(&begun[i], &a);
		cx_digest_end(&own[i], &b);
		assert_memory_equal(&a, &b, sizeof a);
	}
}

static void digests(void **state)
{
	(void)state;
	for (size_t i = 0; i < CX_COUNT(killed_at); i++)
		check(killed_at[i]);
}

int main(void)
{
	const struct CMUnitTest test[] = { cmocka_unit_test(digests) };

	return cmocka_run_group_tests(test, NULL, NULL);
}
