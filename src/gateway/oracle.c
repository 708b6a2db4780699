/* oracle.c - see oracle.h. */
#include "gateway/oracle.h"

#include <sys/socket.h>

#include "base/promise.h"

enum { PREFIX = 2 };

static bool admit(void *context, const char *name)
{
	const struct cx_oracle_asker *asker = context;

	if (CX_PROMISE(name_admitted,
	               cx_decide_may_admit(asker->policy, name)))
		return true;
	if (asker->refused)
		asker->refused(asker->context, name);
	return false;
}

static size_t answer(const struct cx_oracle_asker *asker, const uint8_t *query,
                     size_t size,
                     uint8_t ret_reply[CX_QUESTION_REPLY_MAX_BYTES])
{
	struct cx_oracle_asker own = *asker; /* the context isn't const */

	return cx_question_answer(own.book, admit, &own, query, size,
	                          ret_reply);
}

bool cx_oracle_datagrams(int fd, const struct cx_oracle_asker *asker)
{
	uint8_t query[CX_QUESTION_MAX_BYTES + 1];
	uint8_t reply[CX_QUESTION_REPLY_MAX_BYTES];

	for (int i = 0; i < CX_ORACLE_TURN; i++) {
		struct sockaddr_storage from;
		socklen_t length = sizeof from;
		ssize_t n = recvfrom(fd, query, sizeof query,
		                     MSG_DONTWAIT | MSG_TRUNC, (void *)&from,
		                     &length);
		size_t size;

		if (n < 0)
			return false;
		if ((size_t)n >= sizeof query)
			continue;
		size = answer(asker, query, (size_t)n, reply);
		if (size)
			sendto(fd, reply, size, MSG_DONTWAIT | MSG_NOSIGNAL,
			       (const void *)&from, length);
	}
	return true;
}

size_t cx_oracle_stream(const struct cx_oracle_asker *asker,
                        const uint8_t *data, size_t size,
                        uint8_t ret_reply[CX_ORACLE_REPLY_MAX_BYTES],
                        size_t *ret_size)
{
	size_t length, reply = 0;

	*ret_size = 0;
	if (size < PREFIX)
		return 0;
	length = (size_t)data[0] << 8 | data[1];
	if (length <= CX_QUESTION_MAX_BYTES) {
		if (size - PREFIX < length)
			return 0;
		reply = answer(asker, data + PREFIX, length,
		               ret_reply + PREFIX);
	}
	if (reply) {
		ret_reply[0] = (uint8_t)(reply >> 8);
		ret_reply[1] = (uint8_t)reply;
		*ret_size = PREFIX + reply;
	}
	return PREFIX + length < size ? PREFIX + length : size;
}
