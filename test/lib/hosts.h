/*
 * hosts.h - hosts that somebody might take for an address, made from a stream
 * of bytes, and whether a resolver does.
 */
#ifndef CX_TEST_HOSTS_H
#define CX_TEST_HOSTS_H

#include <arpa/inet.h>
#include <ares.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/count.h"
#include "model/host.h"

enum { HOSTS_TEXT_BYTES = 320 };

/* Where the choices come from. */
struct hosts_source {
	uint8_t (*draw)(struct hosts_source *source);
	uint64_t state;
	const uint8_t *data, *end;
};

/* xorshift64*: the same hosts for the same seed. */
static inline uint8_t hosts_draw(struct hosts_source *source)
{
	source->state ^= source->state >> 12;
	source->state ^= source->state << 25;
	source->state ^= source->state >> 27;
	return (uint8_t)((source->state * 0x2545f4914f6cdd1dULL) >> 56);
}

static inline uint8_t hosts_draw_data(struct hosts_source *source)
{
	return source->data < source->end ? *source->data++ : 0;
}

static inline size_t hosts_below(struct hosts_source *source, size_t count)
{
	return source->draw(source) % count;
}

/* One part between dots: a number in some spelling, or letters. */
static inline int hosts_part(struct hosts_source *source, char *ret,
                             size_t room)
{
	static const char *const word[] = {
		"a", "xn--", "xn--bcher-kva", "localhost", "_", "-", "0x", "0X",
		"e", "x", "0b1", "1e3", "%31", "ff", "0xg", "00", "08", "09",
		"4294967296", "18446744073709551617", "256", "1_", "com",
		"127", "0177", "0x7f", "", "+1", "1 ", "\xc2\xb9",
	};
	static const char *const form[] = {
		"%u", "0%o", "0x%x", "0X%X", "%03u", "00%o", "0x0%x", "%uu",
	};
	unsigned value = source->draw(source);

	for (size_t more = hosts_below(source, 4); more > 0; more--)
		value = value << 8 | source->draw(source);
	if (hosts_below(source, 3) == 0)
		return snprintf(ret, room, "%s",
		                word[hosts_below(source, CX_COUNT(word))]);
	switch (hosts_below(source, CX_COUNT(form))) {
	case 0: return snprintf(ret, room, "%u", value);
	case 1: return snprintf(ret, room, "0%o", value);
	case 2: return snprintf(ret, room, "0x%x", value);
	case 3: return snprintf(ret, room, "0X%X", value);
	case 4: return snprintf(ret, room, "%03u", value & 255);
	case 5: return snprintf(ret, room, "00%o", value & 255);
	case 6: return snprintf(ret, room, "0x0%x", value);
	default: return snprintf(ret, room, "%u%c", value,
	                         (int)('a' + value % 26));
	}
}

/* 1 to 6 parts with dots, now and then one byte of it another. */
static inline size_t hosts_make(struct hosts_source *source,
                                char ret[HOSTS_TEXT_BYTES])
{
	size_t parts = 1 + hosts_below(source, 6);
	size_t size = 0;

	for (size_t i = 0; i < parts; i++) {
		if (i > 0)
			ret[size++] = '.';
		size += (size_t)hosts_part(source, ret + size,
		                           HOSTS_TEXT_BYTES - size - 2);
	}
	if (hosts_below(source, 8) == 0)
		ret[size++] = '.';
	if (size > 0 && hosts_below(source, 8) == 0)
		ret[hosts_below(source, size)] =
			(char)(1 + hosts_below(source, 255));
	ret[size] = '\0';
	return size;
}

static inline void hosts_note(void *context, int status, int timeouts,
                              struct ares_addrinfo *result)
{
	(void)timeouts;
	*(bool *)context = status == ARES_SUCCESS;
	ares_freeaddrinfo(result);
}

/* A channel that asks nobody: only what is an address has an answer. */
static inline ares_channel hosts_channel(void)
{
	struct ares_options options = { .lookups = (char[]){ "" } };
	ares_channel channel;

	if (ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS ||
	    ares_init_options(&channel, &options, ARES_OPT_LOOKUPS) !=
	    ARES_SUCCESS)
		abort();
	return channel;
}

/* Asked for any family, it takes no IPv4 address for one. */
static inline bool hosts_taken_by_ares(ares_channel channel, const char *text)
{
	struct ares_addrinfo_hints asked = { .ai_family = AF_INET };
	bool v4 = false, v6 = false;

	ares_getaddrinfo(channel, text, NULL, &asked, hosts_note, &v4);
	asked.ai_family = AF_INET6;
	ares_getaddrinfo(channel, text, NULL, &asked, hosts_note, &v6);
	return v4 || v6;
}

/* Who takes the text for an address: a name for a message; NULL: nobody. */
static inline const char *hosts_taken_by(ares_channel channel,
                                         const char *text)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST };
	struct addrinfo *list = NULL;
	struct in6_addr v6;
	struct in_addr v4;

	if (getaddrinfo(text, NULL, &hints, &list) == 0) {
		freeaddrinfo(list);
		return "getaddrinfo";
	}
	if (inet_aton(text, &v4) != 0)
		return "inet_aton";
	if (ares_inet_pton(AF_INET, text, &v4) == 1 ||
	    ares_inet_pton(AF_INET6, text, &v6) == 1)
		return "ares_inet_pton";
	return hosts_taken_by_ares(channel, text) ? "ares_getaddrinfo" : NULL;
}

#endif
