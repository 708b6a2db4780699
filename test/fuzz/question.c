/*
 * question.c - whatever is asked, the reply is a reply to it, of bounded size,
 * and an address in it stands for the name that was admitted.
 */
#include "gateway/question.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 12, IPV4 = 4 };

static struct cx_alias_book book;

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static bool remember(void *context, const char *name)
{
	demand(strlen(name) < CX_ALIAS_NAME_BYTES);
	for (const char *at = name; *at; at++)
		demand((*at >= 'a' && *at <= 'z') || *at == '.' ||
		       *at == '-' || *at == '_' ||
		       (*at >= '0' && *at <= '9'));
	snprintf(context, CX_ALIAS_NAME_BYTES, "%s", name);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[CX_ALIAS_NAME_BYTES] = "";
	uint8_t reply[CX_QUESTION_REPLY_MAX_BYTES];
	size_t n = cx_question_answer(&book, remember, name, data, size,
	                              reply);
	struct sockaddr_in at = { .sin_family = AF_INET };
	struct sockaddr_storage found = { 0 };

	demand(n <= sizeof reply);
	if (n == 0)
		return 0;
	demand(n >= HEAD && memcmp(reply, data, 2) == 0 && (reply[2] & 0x80));
	/* one A record at the end, no OPT */
	if (reply[7] != 1 || reply[11] != 0 || reply[n - IPV4 - 1] != IPV4)
		return 0;
	memcpy(&at.sin_addr, reply + n - IPV4, IPV4);
	memcpy(&found, &at, sizeof at);
	if (reply[n - IPV4 - 2] == 0 && reply[n - IPV4 - 9] == 1)
		demand(strcmp(cx_alias_find(&book, &found), name) == 0);
	return 0;
}
