/*
 * resolver.c - answers DNS queries, over UDP and TCP, from a world of names.
 *
 *   resolver ADDRESS:PORT
 *
 * Each line on standard input is a world, one JSON object: name to
 *
 *   {"A": [...], "AAAA": [...]}   addresses; a family that isn't there has
 *                                 no records
 *   {"CNAME": name}               the chain is followed within the world
 *   {"error": "NXDOMAIN" | "SERVFAIL" | "REFUSED" | "EMPTY" | "TIMEOUT"}
 *   {"sequence": [[...], ...]}    the addresses of the first look-up, of the
 *                                 second, ...; the last one stays. A name's A
 *                                 and AAAA queries are one look-up
 *   "ttl": seconds (0), "delay": milliseconds, "garbage": true (an answer
 *   that is no DNS message), "tcp": true (over UDP it is truncated)
 *
 * Anything else is NXDOMAIN. Once a world is in force one line is written:
 * {"lookups": {name: N}} of the one before; an empty line asks for the same
 * and changes nothing. Ends with standard input.
 */
#include "common.h"

#include <jansson.h>
#include <poll.h>

enum { PENDING_MAX = 4096, STREAMS_MAX = 64, MESSAGE = 65535, DEPTH = 16,
       HEADER = 12, TYPE_A = 1, TYPE_CNAME = 5, TYPE_AAAA = 28 };

struct reply {
	struct sockaddr_storage to;
	socklen_t to_size;
	uint64_t due_ns;
	size_t size;
	unsigned char bytes[4096];
};

struct stream {
	int fd;
	size_t size;
	unsigned char bytes[1024];
};

struct world {
	json_t *names;
	json_t *lookups; /* name: {"A": n, "AAAA": n} */
	json_t *asked;   /* name: the number of the last one, likewise */
	int number;      /* of the query at hand */
	int udp_fd, tcp_fd;
	size_t pending;
	struct reply *reply;
	struct stream stream[STREAMS_MAX];
};

struct message {
	unsigned char *bytes;
	size_t size, room;
};

static void put(struct message *out, const void *bytes, size_t size)
{
	if (out->size + size > out->room)
		return;
	memcpy(out->bytes + out->size, bytes, size);
	out->size += size;
}

static void put16(struct message *out, unsigned value)
{
	unsigned char bytes[2] = { (unsigned char)(value >> 8),
		                   (unsigned char)value };

	put(out, bytes, 2);
}

static void put_name(struct message *out, const char *name)
{
	while (*name) {
		size_t size = strcspn(name, ".");
		unsigned char length = (unsigned char)size;

		put(out, &length, 1);
		put(out, name, size);
		name += size + (name[size] == '.');
	}
	put(out, "", 1);
}

static void put_record(struct message *out, const char *name, unsigned type,
                       long long ttl, const void *data, size_t size)
{
	put_name(out, name);
	put16(out, type);
	put16(out, 1);
	put16(out, (unsigned)(ttl >> 16));
	put16(out, (unsigned)ttl & 0xffff);
	put16(out, (unsigned)size);
	put(out, data, size);
}

/* The name of the first question in lower case, and how long it is there. */
static size_t read_name(const unsigned char *bytes, size_t size, char *ret)
{
	size_t at = HEADER, length = 0;

	while (at < size && bytes[at]) {
		size_t label = bytes[at++];

		if (label > 63 || at + label > size || length + label > 254)
			return 0;
		if (length)
			ret[length++] = '.';
		for (; label; label--, at++)
			ret[length++] = (char)(bytes[at] >= 'A' &&
			        bytes[at] <= 'Z' ? bytes[at] + 32 : bytes[at]);
	}
	ret[length] = '\0';
	return at + 5 <= size ? at + 1 : 0;
}

/* Which look-up of this name this is, from 0. One that is asked again, with
 * its number, after no answer or over TCP, is the same. */
static size_t count(struct world *world, const char *name, unsigned type)
{
	json_t *seen = json_object_get(world->lookups, name);
	json_t *asked = json_object_get(world->asked, name);
	const char *key = type == TYPE_A ? "A" : type == TYPE_AAAA ? "AAAA" : "";
	json_int_t times;

	if (!seen) {
		json_object_set_new(world->lookups, name, seen = json_object());
		json_object_set_new(world->asked, name, asked = json_object());
	}
	times = json_integer_value(json_object_get(seen, key));
	if (times && json_integer_value(json_object_get(asked, key)) ==
	             world->number)
		return (size_t)times - 1;
	json_object_set_new(seen, key, json_integer(times + 1));
	json_object_set_new(asked, key, json_integer(world->number));
	return (size_t)times;
}

static unsigned put_addresses(struct message *out, const char *name,
                              const json_t *list, unsigned type,
                              long long ttl)
{
	unsigned records = 0;
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one) {
		unsigned char address[16];
		const char *text = json_string_value(one);
		bool six = text && strchr(text, ':');

		if (!text || six != (type == TYPE_AAAA) ||
		    inet_pton(six ? AF_INET6 : AF_INET, text, address) != 1)
			continue;
		put_record(out, name, type, ttl, address, six ? 16 : 4);
		records++;
	}
	return records;
}

/* The records that answer, and in *ret_code the response code, -1: none. */
static unsigned answer(struct world *world, const char *asked, unsigned type,
                       struct message *out, int *ret_code)
{
	unsigned records = 0;
	const char *name = asked, *error;
	const json_t *entry, *list;
	size_t times;

	*ret_code = 0;
	for (int depth = 0; depth < DEPTH; depth++) {
		unsigned char target[256];
		struct message data = { target, 0, sizeof(target) };
		long long ttl;

		entry = json_object_get(world->names, name);
		times = count(world, name, type);
		error = json_string_value(json_object_get(entry, "error"));
		ttl = json_integer_value(json_object_get(entry, "ttl"));
		if (!entry || (error && strcmp(error, "EMPTY") != 0))
			*ret_code = !error || strcmp(error, "NXDOMAIN") == 0 ?
			        3 : strcmp(error, "TIMEOUT") == 0 ? -1 :
			        strcmp(error, "REFUSED") == 0 ? 5 : 2;
		if (!entry || error)
			return records;
		list = json_object_get(entry, "sequence");
		if (list)
			list = json_array_get(list, times < json_array_size(list)
			        ? times : json_array_size(list) - 1);
		else
			list = json_object_get(entry, type == TYPE_A ? "A" :
			        type == TYPE_AAAA ? "AAAA" : "none");
		records += put_addresses(out, name, list, type, ttl);
		if (!json_object_get(entry, "CNAME"))
			return records;
		entry = json_object_get(entry, "CNAME");
		put_name(&data, json_string_value(entry));
		put_record(out, name, TYPE_CNAME, ttl, target, data.size);
		records++;
		name = json_string_value(entry);
	}
	*ret_code = 2; /* as a resolver that followed it */
	return 0;
}

/* The answer to a query, its size; 0: there is none. */
static size_t respond(struct world *world, const unsigned char *query,
                      size_t size, bool udp, struct reply *ret)
{
	struct message out = { ret->bytes, 0, sizeof(ret->bytes) };
	char name[256];
	size_t question = size > HEADER ? read_name(query, size, name) : 0;
	unsigned records, type;
	const json_t *entry;
	int code;

	if (question == 0)
		return 0;
	type = (unsigned)query[question] << 8 | query[question + 1];
	entry = json_object_get(world->names, name);
	ret->due_ns = now_ns() + 1000000U * (uint64_t)json_integer_value(
	        json_object_get(entry, "delay"));
	world->number = query[0] << 8 | query[1];
	put(&out, query, 2);
	put16(&out, 0x8180);
	put16(&out, 1);
	put16(&out, 0);
	put16(&out, 0);
	put16(&out, 0);
	put(&out, query + HEADER, question + 4 - HEADER);
	if (udp && json_is_true(json_object_get(entry, "tcp"))) {
		ret->bytes[2] |= 2;
		return out.size;
	}
	records = answer(world, name, type, &out, &code);
	ret->bytes[3] = (unsigned char)(0x80 | (code & 15));
	ret->bytes[6] = (unsigned char)(records >> 8);
	ret->bytes[7] = (unsigned char)records;
	if (json_is_true(json_object_get(entry, "garbage")))
		memset(ret->bytes + 4, 0xff, out.size - 4);
	if (udp && out.size > 1232)
		ret->bytes[2] |= 2, out.size = question + 4, ret->bytes[7] = 0;
	return code < 0 ? 0 : out.size;
}

static void take_datagram(struct world *world)
{
	unsigned char query[MESSAGE];
	struct reply *reply = &world->reply[world->pending];
	ssize_t got;

	if (world->pending == PENDING_MAX)
		return;
	reply->to_size = sizeof(reply->to);
	got = recvfrom(world->udp_fd, query, sizeof(query), MSG_DONTWAIT,
	               (struct sockaddr *)&reply->to, &reply->to_size);
	if (got <= 0)
		return;
	reply->size = respond(world, query, (size_t)got, true, reply);
	if (reply->size)
		world->pending++;
}

static void take_stream(struct world *world, struct stream *stream)
{
	static struct reply reply;
	ssize_t got = recv(stream->fd, stream->bytes + stream->size,
	                   sizeof(stream->bytes) - stream->size, MSG_DONTWAIT);
	size_t want;

	if (got > 0)
		stream->size += (size_t)got;
	want = 2 + ((size_t)stream->bytes[0] << 8 | stream->bytes[1]);
	if (got <= 0 || (stream->size >= 2 && want > sizeof(stream->bytes))) {
		close(stream->fd);
		stream->fd = -1;
		return;
	}
	while (stream->size >= 2 && stream->size >= want) {
		unsigned char head[2];

		reply.size = respond(world, stream->bytes + 2, want - 2,
		                     false, &reply);
		head[0] = (unsigned char)(reply.size >> 8);
		head[1] = (unsigned char)reply.size;
		if (reply.size) {
			(void)send(stream->fd, head, 2, MSG_NOSIGNAL | MSG_MORE);
			(void)send(stream->fd, reply.bytes, reply.size,
			           MSG_NOSIGNAL);
		}
		stream->size -= want;
		memmove(stream->bytes, stream->bytes + want, stream->size);
		want = 2 + ((size_t)stream->bytes[0] << 8 | stream->bytes[1]);
	}
}

static void accept_stream(struct world *world)
{
	int fd = accept4(world->tcp_fd, NULL, NULL, SOCK_CLOEXEC);

	for (size_t i = 0; fd >= 0 && i < STREAMS_MAX; i++) {
		if (world->stream[i].fd < 0) {
			world->stream[i] = (struct stream){ .fd = fd };
			return;
		}
	}
	if (fd >= 0)
		close(fd);
}

/* Sends what is due; how long until the next one in ms, -1: nothing waits. */
static int flush(struct world *world)
{
	uint64_t now = now_ns(), next = UINT64_MAX;

	for (size_t i = 0; i < world->pending;) {
		struct reply *reply = &world->reply[i];

		if (reply->due_ns > now) {
			if (reply->due_ns < next)
				next = reply->due_ns;
			i++;
			continue;
		}
		(void)sendto(world->udp_fd, reply->bytes, reply->size, 0,
		             (struct sockaddr *)&reply->to, reply->to_size);
		*reply = world->reply[--world->pending];
	}
	return next == UINT64_MAX ? -1 : (int)((next - now) / 1000000) + 1;
}

/* A line of standard input: false at its end. */
static bool take_line(struct world *world)
{
	static char *line;
	static size_t room;
	json_t *out, *names;
	char *text;

	if (getline(&line, &room, stdin) <= 0)
		return false;
	out = json_pack("{sO}", "lookups", world->lookups);
	text = json_dumps(out, JSON_COMPACT);
	if (line[0] != '\n') {
		names = json_loads(line, 0, NULL);
		if (!json_is_object(names))
			die("a world");
		json_decref(world->names);
		world->names = names;
		json_object_clear(world->lookups);
		json_object_clear(world->asked);
		world->pending = 0;
	}
	puts(text);
	fflush(stdout);
	free(text);
	json_decref(out);
	return true;
}

static int listen_at(const char *where, int kind)
{
	struct sockaddr_storage at;
	socklen_t size = endpoint(where, &at);
	int on = 1, fd = socket(at.ss_family, kind | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) < 0 ||
	    (kind == SOCK_STREAM && listen(fd, 128) < 0))
		die(where);
	return fd;
}

int main(int argc, char **argv)
{
	static struct world world;
	struct pollfd poll_fd[3 + STREAMS_MAX];

	if (argc != 2)
		die("resolver ADDRESS:PORT");
	world.names = json_object();
	world.lookups = json_object();
	world.asked = json_object();
	world.reply = calloc(PENDING_MAX, sizeof(struct reply));
	world.udp_fd = listen_at(argv[1], SOCK_DGRAM);
	world.tcp_fd = listen_at(argv[1], SOCK_STREAM);
	for (size_t i = 0; i < STREAMS_MAX; i++)
		world.stream[i].fd = -1;
	setvbuf(stdin, NULL, _IONBF, 0);
	puts("{}");
	fflush(stdout);
	for (;;) {
		int wait = flush(&world);

		poll_fd[0] = (struct pollfd){ 0, POLLIN, 0 };
		poll_fd[1] = (struct pollfd){ world.udp_fd, POLLIN, 0 };
		poll_fd[2] = (struct pollfd){ world.tcp_fd, POLLIN, 0 };
		for (size_t i = 0; i < STREAMS_MAX; i++)
			poll_fd[3 + i] = (struct pollfd){ world.stream[i].fd,
				                          POLLIN, 0 };
		if (poll(poll_fd, 3 + STREAMS_MAX, wait) < 0)
			die("poll");
		if (poll_fd[0].revents && !take_line(&world))
			return 0;
		if (poll_fd[1].revents)
			take_datagram(&world);
		for (size_t i = 0; i < STREAMS_MAX; i++)
			if (world.stream[i].fd >= 0 && poll_fd[3 + i].revents)
				take_stream(&world, &world.stream[i]);
		if (poll_fd[2].revents)
			accept_stream(&world);
	}
}
