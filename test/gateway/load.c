/*
 * load.c - many clients of a proxy at once.
 *
 *   load [OPTION...] MODE
 *
 *   mix     tunnels of random sizes and endings (script.h), checked byte by
 *           byte
 *   rate    tunnels that echo one byte and close
 *   give    each takes --bytes from the origin
 *   sink    each sends --bytes
 *   after   each sends --bytes and its end, and takes --bytes after it
 *   ping    one byte there and back, --pings times over each tunnel
 *   idle    tunnels that do nothing until standard input ends
 *   heads   a head that comes one byte each --interval ms, likewise
 *   deaf    tunnels that ask for much and never read, likewise
 *   get     --pings requests over each kept connection, each of --bytes
 *
 *   --via ADDRESS:PORT   the proxy; without it straight to --to
 *   --to HOST:PORT       may be named again: taken in turn
 *   --token TOKEN        Proxy-Authorization: Basic job:TOKEN
 *   --count N (1)  --parallel N (1)  --bytes N  --pings N  --interval MS
 *   --seconds N          begin no more after that time
 *   --limit N (60)       seconds after which what isn't done has failed
 *   --seed N
 *
 * One line of JSON at the end: done, failed, refused (by status), wrong, up
 * and down (bytes in tunnels), seconds, and of what was timed p50, p99 and
 * max in microseconds. idle, heads and deaf write "ready N" first, once all
 * are as far as they get.
 */
#include "common.h"
#include "script.h"

#include <getopt.h>

enum { TARGETS_MAX = 64, EVENTS = 256, STATUSES = 600, SAMPLES = 1 << 20 };

enum mode { MIX, RATE, GIVE, SINK, AFTER, PING, IDLE, HEADS, DEAF, GET, MODES };

static const char *const mode_name[MODES] = {
	"mix", "rate", "give", "sink", "after", "ping", "idle", "heads",
	"deaf", "get"
};

enum state { CONNECTING, HEAD, OPEN };

struct client {
	int fd;                 /* -1: free */
	enum state state;
	char head[768];         /* the request, then the answer's head */
	size_t head_size, head_sent;
	size_t lead;            /* of up: bytes sent with the head */
	char line[64];
	size_t line_size;
	uint64_t up, down;      /* still to send behind the line, to take */
	uint64_t sent, taken;   /* behind the line; all that came */
	uint64_t more;          /* E */
	enum ending ending;
	bool finishing;         /* "!" was sent, or all of E */
	bool shut, ended;
	uint64_t pings;         /* left */
	uint64_t began_ns, next_ns;
	bool done;              /* idle and the like: as far as it gets */
};

static struct {
	enum mode mode;
	const char *via, *token;
	const char *to[TARGETS_MAX];
	size_t targets;
	uint64_t count, parallel, bytes, pings, interval_ms, seconds, limit;
	uint64_t random;
	int epoll_fd;
	struct client *client;
	uint64_t begun, running, settled;
	uint64_t done, failed, wrong, up, down, refused[STATUSES];
	uint32_t *sample;       /* ns */
	size_t samples;
	bool holding;           /* until standard input ends */
} load = { .count = 1, .parallel = 1, .pings = 1, .interval_ms = 1000,
	   .seconds = 3600, .limit = 60, .random = 1 };

static uint64_t draw(uint64_t below)
{
	load.random ^= load.random << 13;
	load.random ^= load.random >> 7;
	load.random ^= load.random << 17;
	return below ? load.random % below : 0;
}

static void sample(uint64_t since_ns)
{
	uint64_t took = now_ns() - since_ns;

	if (load.samples < SAMPLES)
		load.sample[load.samples++] = took < UINT32_MAX ?
		        (uint32_t)took : UINT32_MAX;
}

static void settle(struct client *of)
{
	if (!of->done)
		load.settled++;
	of->done = true;
}

static void leave(struct client *of, bool well, bool reset)
{
	if (well)
		load.done++;
	else
		load.failed++;
	settle(of);
	if (reset)
		reset_close(of->fd);
	else
		close(of->fd);
	of->fd = -1;
	load.running--;
}

static size_t encode(const char *in, char *out)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                            "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t size = strlen(in), at = 0;

	for (size_t i = 0; i < size; i += 3) {
		unsigned a = (unsigned char)in[i];
		unsigned b = i + 1 < size ? (unsigned char)in[i + 1] : 0;
		unsigned c = i + 2 < size ? (unsigned char)in[i + 2] : 0;

		out[at++] = digit[a >> 2];
		out[at++] = digit[(a & 3) << 4 | b >> 4];
		out[at++] = i + 1 < size ? digit[(b & 15) << 2 | c >> 6] : '=';
		out[at++] = i + 2 < size ? digit[c & 63] : '=';
	}
	out[at] = '\0';
	return at;
}

/* The request's head: CONNECT, or GET of the next of a kept connection. */
static void write_head(struct client *of, const char *to)
{
	char who[160], coded[256] = "", credential[320] = "";
	int size;

	if (load.token) {
		snprintf(who, sizeof(who), "job:%s", load.token);
		encode(who, coded);
		snprintf(credential, sizeof(credential),
		         "Proxy-Authorization: Basic %s\r\n", coded);
	}
	if (load.mode == GET)
		size = snprintf(of->head, sizeof(of->head),
		                "GET %s%s/bytes/%llu HTTP/1.1\r\n"
		                "Host: %s\r\n%s\r\n",
		                load.via ? "http://" : "", load.via ? to : "",
		                (unsigned long long)load.bytes, to, credential);
	else
		size = snprintf(of->head, sizeof(of->head),
		                "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n",
		                to, to, credential);
	of->head_size = (size_t)size;
	of->head_sent = 0;
}

/* Sizes from nothing to --bytes, small ones more often. */
static uint64_t draw_size(void)
{
	uint64_t kind = draw(10);

	return draw(kind < 4 ? 100 : kind < 8 ? 20000 : load.bytes + 1);
}

static void write_line(struct client *of)
{
	switch (load.mode) {
	case MIX:
		of->ending = (enum ending)draw(ENDINGS);
		of->up = draw_size();
		of->down = draw_size();
		of->more = of->ending >= CLIENT_FIRST ? draw_size() : 0;
		if (of->ending == AT_ONCE)
			of->up %= 8192;
		snprintf(of->line, sizeof(of->line), "mix %llu %llu %d %llu\n",
		         (unsigned long long)of->up,
		         (unsigned long long)of->down, (int)of->ending,
		         (unsigned long long)of->more);
		break;
	case RATE:
	case PING:
		snprintf(of->line, sizeof(of->line), "echo\n");
		break;
	case GIVE:
		of->down = load.bytes;
		snprintf(of->line, sizeof(of->line), "give %llu\n",
		         (unsigned long long)load.bytes);
		break;
	case SINK:
		of->up = load.bytes;
		snprintf(of->line, sizeof(of->line), "sink\n");
		break;
	case AFTER:
		of->up = of->down = load.bytes;
		snprintf(of->line, sizeof(of->line), "after %llu 0\n",
		         (unsigned long long)load.bytes);
		break;
	case DEAF:
		snprintf(of->line, sizeof(of->line), "give 1000000000000\n");
		break;
	case IDLE:
	case HEADS:
	case GET:
	case MODES:
		break;
	}
	of->line_size = strlen(of->line);
}

static void begin(struct client *of)
{
	const char *to = load.to[load.begun++ % load.targets];
	const char *where = load.via ? load.via : to;
	struct sockaddr_storage at;
	socklen_t size = endpoint(where, &at);
	int on = 1;

	memset(of, 0, sizeof(*of));
	of->fd = socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK |
	                SOCK_CLOEXEC, 0);
	if (of->fd < 0)
		die("socket");
	setsockopt(of->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	load.running++;
	of->began_ns = now_ns();
	of->pings = load.pings;
	write_line(of);
	if (load.via || load.mode == GET)
		write_head(of, to);
	watch(load.epoll_fd, of->fd, of);
	if (connect(of->fd, (struct sockaddr *)&at, size) < 0 &&
	    errno != EINPROGRESS)
		leave(of, false, false);
}

/* Bytes sent: -1 the connection is gone. */
static ssize_t push(struct client *of, const void *bytes, size_t size)
{
	ssize_t sent = send(of->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0)
		return errno == EAGAIN || errno == ENOTCONN ? 0 : -1;
	return sent;
}

static void end_ours(struct client *of)
{
	shutdown(of->fd, SHUT_WR);
	of->shut = true;
}

/* Sends what of->up says. 1 all, 0 no room, -1 gone. */
static int pour(struct client *of)
{
	while (of->up) {
		size_t size = of->up < BLOCK ? of->up : BLOCK;
		ssize_t sent = push(of, pattern(of->sent), size);

		if (sent <= 0)
			return (int)sent;
		of->sent += (uint64_t)sent;
		of->up -= (uint64_t)sent;
		load.up += (uint64_t)sent;
	}
	return 1;
}

/* The line and its bytes in one piece with the head (AT_ONCE, or by chance):
 * the proxy has to keep what came too early. */
static int send_early(struct client *of)
{
	char all[sizeof(of->head) + sizeof(of->line) + 8192];
	size_t size = of->head_size, body = of->up;
	ssize_t sent;

	memcpy(all, of->head, size);
	memcpy(all + size, of->line, of->line_size);
	size += of->line_size;
	memcpy(all + size, pattern(0), body);
	size += body;
	sent = push(of, all, size);
	if (sent <= 0)
		return (int)sent;
	if ((size_t)sent < size)
		return -1; /* a new socket has room for it */
	load.up += of->line_size + body;
	of->sent = body;
	of->up = 0;
	of->line_size = 0;
	of->head_sent = of->head_size;
	if (of->ending == AT_ONCE)
		end_ours(of);
	return 1;
}

static int send_head(struct client *of)
{
	size_t size = of->head_size - of->head_sent;
	ssize_t sent;

	if (load.mode == MIX && load.via && of->head_sent == 0 &&
	    of->up < 8192 && (of->ending == AT_ONCE || draw(4) == 0))
		return send_early(of);
	if (load.mode == HEADS) {
		if (of->next_ns > now_ns())
			return 0;
		of->next_ns = now_ns() + load.interval_ms * 1000000U;
		size = size < 3 ? 0 : 1;
	}
	sent = push(of, of->head + of->head_sent, size);
	if (sent < 0)
		return -1;
	of->head_sent += (size_t)sent;
	if (load.mode == HEADS)
		settle(of);
	return of->head_sent == of->head_size;
}

/* The answer's head, byte by byte so that nothing behind it is taken.
 * 1 it is "200", 0 not whole yet, -1 gone or refused. */
static int take_head(struct client *of)
{
	unsigned long status;
	ssize_t got;

	while (of->head_size < sizeof(of->head) - 1) {
		size_t there;
		char *stop;

		got = recv(of->fd, of->head + of->head_size,
		           sizeof(of->head) - 1 - of->head_size,
		           MSG_PEEK | MSG_DONTWAIT);
		if (got < 0 && errno == EAGAIN)
			return 0;
		if (got <= 0)
			return -1;
		there = of->head_size + (size_t)got;
		of->head[there] = '\0';
		stop = strstr(of->head, "\r\n\r\n");
		if (stop)
			there = (size_t)(stop - of->head) + 4;
		(void)recv(of->fd, of->head + of->head_size,
		           there - of->head_size, MSG_DONTWAIT);
		of->head_size = there;
		of->head[there] = '\0';
		if (stop)
			break;
	}
	status = of->head_size > 12 ? strtoul(of->head + 9, NULL, 10) : 0;
	if (status == 200)
		return 1;
	load.refused[status < STATUSES ? status : 0]++;
	return -1;
}

static void verify(struct client *of, const unsigned char *bytes, size_t size)
{
	uint64_t left = of->down < size ? of->down : size;

	if (load.mode == MIX || load.mode == GIVE || load.mode == AFTER)
		if (memcmp(bytes, pattern(of->taken), left) != 0)
			load.wrong++;
}

/* What came. 1: go on, 0: nothing there, -1 gone. */
static int drain(struct client *of)
{
	static unsigned char bytes[BLOCK];
	bool skim = load.mode == GIVE && load.bytes > (1 << 24);
	ssize_t got;

	if (of->ended || load.mode == DEAF)
		return 0;
	got = recv(of->fd, bytes, sizeof(bytes),
	           MSG_DONTWAIT | (skim ? MSG_TRUNC : 0));
	if (got < 0)
		return errno == EAGAIN ? 0 : -1;
	of->ended = got == 0;
	if (!skim)
		verify(of, bytes, (size_t)got);
	of->taken += (uint64_t)got;
	of->down -= of->down < (uint64_t)got ? of->down : (uint64_t)got;
	load.down += (uint64_t)got;
	return 1;
}

static bool push_one(struct client *of, const char *byte)
{
	if (push(of, byte, 1) != 1)
		return false;
	load.up++;
	return true;
}

/* After every step of a mix: true, go on. */
static bool step_mix(struct client *of)
{
	bool quiet = of->up == 0 && of->down == 0;
	uint64_t extra = of->taken;

	switch (of->ending) {
	case BOTH:
	case CLIENT_RESETS:
	case ORIGIN_RESETS:
		if (quiet && !of->finishing) {
			if (!push_one(of, "!"))
				return false;
			of->finishing = true;
			of->more = extra; /* D bytes: the next is "." */
		}
		if (of->finishing && of->ending == CLIENT_RESETS &&
		    of->taken > of->more)
			leave(of, true, true);
		else if (of->finishing && of->ended)
			leave(of, of->ending == ORIGIN_RESETS ||
			      of->taken == of->more + 1, false);
		return true;
	case CLIENT_FIRST:
	case AT_ONCE:
		if (!of->shut && of->up == 0)
			end_ours(of);
		if (of->ended)
			leave(of, of->down == 0, false);
		return true;
	case ORIGIN_FIRST:
		if (of->ended && !of->finishing && of->up == 0) {
			of->up = of->more;
			of->finishing = true;
		}
		if (of->finishing && pour(of) == 1) {
			end_ours(of);
			leave(of, of->down == 0, false);
		}
		return true;
	case ENDINGS:
		break;
	}
	return true;
}

static bool step_ping(struct client *of)
{
	uint64_t all = load.mode == RATE ? 1 : load.pings;

	if (of->taken + of->pings == all && of->pings) {
		if (load.mode == PING && of->taken)
			sample(of->began_ns);
		of->began_ns = load.mode == PING ? now_ns() : of->began_ns;
		of->pings--;
		return push_one(of, "x");
	}
	if (of->taken == all) {
		sample(of->began_ns);
		leave(of, true, false);
	}
	return true;
}

/* A kept connection: the next request when the last one's body is here. */
static bool step_get(struct client *of)
{
	if (of->down)
		return !of->ended;
	sample(of->began_ns);
	if (--of->pings == 0) {
		leave(of, true, false);
		return true;
	}
	of->began_ns = now_ns();
	of->state = CONNECTING;
	write_head(of, load.to[0]);
	return true;
}

static bool step(struct client *of)
{
	switch (load.mode) {
	case MIX:
		return step_mix(of);
	case RATE:
	case PING:
		return step_ping(of);
	case GIVE:
		if (of->down == 0 && !of->ended && !of->shut)
			end_ours(of);
		if (of->ended)
			leave(of, of->down == 0, false);
		return true;
	case SINK:
	case AFTER:
		if (of->up == 0 && !of->shut)
			end_ours(of);
		if (of->ended)
			leave(of, of->up == 0 && of->down == 0, false);
		return true;
	case IDLE:
	case DEAF:
		settle(of);
		if (of->ended)
			leave(of, false, false);
		return true;
	case GET:
		return step_get(of);
	case HEADS:
	case MODES:
		break;
	}
	return true;
}

/* Once the tunnel is open. */
static void relay(struct client *of)
{
	ssize_t sent;
	int got = 1;

	if (of->line_size) {
		sent = push(of, of->line, of->line_size);
		if (sent == 0)
			return;
		if ((size_t)sent != of->line_size) {
			leave(of, false, false);
			return;
		}
		of->line_size = 0;
		load.up += (uint64_t)sent;
	}
	while (of->fd >= 0 && of->state == OPEN && got > 0) {
		if (pour(of) < 0 && load.mode != MIX && !of->ended) {
			leave(of, false, false);
			return;
		}
		got = drain(of);
		if (got < 0) {
			bool meant = load.mode == MIX && of->finishing &&
			             of->ending == ORIGIN_RESETS;

			leave(of, meant, false);
			return;
		}
		if (!step(of))
			leave(of, false, false);
	}
}

static void open_tunnel(struct client *of)
{
	of->state = OPEN;
	if (load.mode == GET)
		of->down = load.bytes, of->taken = 0;
}

/* Everything that can be done for this client now. */
static void advance(struct client *of)
{
	int state = 1;

	for (;;) {
		if (of->fd < 0)
			return;
		if (of->state == CONNECTING && of->head_size == 0) {
			int fault = 0;
			socklen_t size = sizeof(fault);

			getsockopt(of->fd, SOL_SOCKET, SO_ERROR, &fault, &size);
			if (fault)
				leave(of, false, false);
			else
				open_tunnel(of);
			continue;
		}
		if (of->state == CONNECTING) {
			state = send_head(of);
			if (state == 0 && load.mode == HEADS)
				state = take_head(of) < 0 ? -1 : 0;
			if (state > 0)
				of->state = HEAD, of->head_size = 0;
		} else if (of->state == HEAD) {
			state = take_head(of);
			if (state > 0)
				open_tunnel(of);
		} else {
			relay(of);
			if (of->fd >= 0 && of->state == CONNECTING)
				continue;
			return;
		}
		if (state < 0)
			leave(of, false, false);
		if (state <= 0)
			return;
	}
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static double percentile(double part)
{
	size_t last = load.samples - 1;

	if (load.samples == 0)
		return 0;
	return load.sample[(size_t)((double)last * part)] / 1000.0;
}

static void report(uint64_t began_ns)
{
	const char *comma = "";

	qsort(load.sample, load.samples, sizeof(uint32_t), by_size);
	printf("{\"done\":%llu,\"failed\":%llu,\"wrong\":%llu,\"up\":%llu,"
	       "\"down\":%llu,\"seconds\":%.4f,\"p50\":%.2f,\"p99\":%.2f,"
	       "\"max\":%.2f,\"refused\":{", (unsigned long long)load.done,
	       (unsigned long long)load.failed, (unsigned long long)load.wrong,
	       (unsigned long long)load.up, (unsigned long long)load.down,
	       (double)(now_ns() - began_ns) / 1e9, percentile(0.5),
	       percentile(0.99), percentile(1));
	for (int i = 0; i < STATUSES; i++) {
		if (!load.refused[i])
			continue;
		printf("%s\"%d\":%llu", comma, i,
		       (unsigned long long)load.refused[i]);
		comma = ",";
	}
	puts("}}");
	fflush(stdout);
}

static enum mode mode_of(const char *name)
{
	for (int i = 0; i < MODES; i++)
		if (strcmp(name, mode_name[i]) == 0)
			return (enum mode)i;
	die(name);
}

static void options(int argc, char **argv)
{
	static const struct option option[] = {
		{ "via", 1, NULL, 'v' }, { "to", 1, NULL, 't' },
		{ "token", 1, NULL, 'k' }, { "count", 1, NULL, 'c' },
		{ "parallel", 1, NULL, 'p' }, { "bytes", 1, NULL, 'b' },
		{ "pings", 1, NULL, 'n' }, { "interval", 1, NULL, 'i' },
		{ "seconds", 1, NULL, 's' }, { "limit", 1, NULL, 'l' },
		{ "seed", 1, NULL, 'r' }, { NULL, 0, NULL, 0 }
	};
	int letter;

	while ((letter = getopt_long(argc, argv, "", option, NULL)) != -1) {
		uint64_t value = letter == 'v' || letter == 't' ||
		        letter == 'k' || letter == '?' ? 0 :
		        (uint64_t)number(optarg);

		switch (letter) {
		case 'v': load.via = optarg; break;
		case 'k': load.token = optarg; break;
		case 'c': load.count = value; break;
		case 'p': load.parallel = value; break;
		case 'b': load.bytes = value; break;
		case 'n': load.pings = value; break;
		case 'i': load.interval_ms = value; break;
		case 's': load.seconds = value; break;
		case 'l': load.limit = value; break;
		case 'r': load.random = value * 2654435761U + 1; break;
		case 't':
			if (load.targets < TARGETS_MAX)
				load.to[load.targets++] = optarg;
			break;
		default: /* getopt has said what is wrong */
			exit(64);
		}
	}
	if (optind + 1 != argc || load.targets == 0)
		die("load --to HOST:PORT [OPTION...] MODE");
	load.mode = mode_of(argv[optind]);
	load.holding = load.mode >= IDLE && load.mode <= DEAF;
	if (load.holding)
		load.parallel = load.count;
}

/* Fills free places; whether there is anything left to wait for. */
static bool refill(uint64_t began_ns)
{
	bool open = load.begun < load.count && now_ns() - began_ns <
	            load.seconds * 1000000000U;

	for (uint64_t i = 0; open && i < load.parallel; i++) {
		if (load.client[i].fd < 0 && load.begun < load.count &&
		    load.begun - load.settled < 512)
			begin(&load.client[i]);
		if (load.mode == HEADS && load.client[i].fd >= 0)
			advance(&load.client[i]);
	}
	return load.running > 0 || open;
}

/* While all are held: until standard input ends. */
static void hold(void)
{
	struct epoll_event events[EVENTS], input = { .events = EPOLLIN };
	int count, i;

	printf("ready %llu\n", (unsigned long long)load.running);
	fflush(stdout);
	if (epoll_ctl(load.epoll_fd, EPOLL_CTL_ADD, 0, &input) < 0)
		die("standard input has to be a pipe");
	for (;;) {
		count = epoll_wait(load.epoll_fd, events, EVENTS,
		                   load.mode == HEADS ? 100 : -1);
		for (i = 0; i < count; i++) {
			if (!events[i].data.ptr)
				return;
			advance(events[i].data.ptr);
		}
		for (uint64_t k = 0; load.mode == HEADS && k < load.count; k++)
			advance(&load.client[k]);
	}
}

int main(int argc, char **argv)
{
	struct epoll_event events[EVENTS];
	uint64_t began_ns, end_ns;

	widen_files();
	options(argc, argv);
	load.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	load.sample = calloc(SAMPLES, sizeof(uint32_t));
	load.client = calloc(load.parallel, sizeof(struct client));
	if (!load.sample || !load.client)
		die("memory");
	for (uint64_t i = 0; i < load.parallel; i++)
		load.client[i].fd = -1;
	began_ns = now_ns();
	end_ns = began_ns + load.limit * 1000000000U;
	while (refill(began_ns)) {
		int count = epoll_wait(load.epoll_fd, events, EVENTS, 20);

		for (int i = 0; i < count; i++)
			advance(events[i].data.ptr);
		if (load.holding && load.settled == load.count)
			break;
		if (now_ns() > end_ns) {
			load.failed += load.running;
			break;
		}
	}
	if (load.holding)
		hold();
	report(began_ns);
	return load.failed || load.wrong;
}
