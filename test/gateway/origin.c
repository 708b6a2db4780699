/*
 * origin.c - the far end of tunnels and requests; counts what it sees.
 *
 *   origin [--log FILE] ADDRESS:PORT...
 *
 * What a connection does stands in its first line:
 *
 *   echo            sends back what comes, until the end
 *   sink            takes all until the end
 *   give N          sends N bytes, then the end
 *   after N MS      waits for the client's end and MS milliseconds, sends N
 *   take N          resets the connection after N bytes
 *   drip N MS       sends N bytes, one each MS milliseconds
 *   deaf            never reads again
 *   mix U D END E   a tunnel of load.c: takes U bytes, sends D, then as END
 *                   says (enum ending)
 *   METHOD ... HTTP/1.x   is answered as a web server does; see http()
 *
 * and anything else is a sink. Bytes taken and sent count with the line.
 * Bytes that don't follow the pattern of common.h are counted as wrong.
 *
 * FILE has a line for each connection that ended and for each request. On
 * standard input "totals" asks for a line with the sums, "clear" also sets
 * them to 0; it ends with standard input.
 */
#include "common.h"
#include "script.h"

enum { HEAD_MAX = 1 << 16, LISTENERS_MAX = 32, EVENTS = 256 };

enum mode { UNKNOWN, ECHO, SINK, GIVE, AFTER, TAKE, DRIP, DEAF, MIX, HTTP,
            FLOOD, HEAD };

struct connection {
	int fd;
	enum mode mode;
	bool ended;          /* the client has sent its end */
	bool shut;           /* we have sent ours */
	bool answered;       /* MIX: what follows D bytes was sent */
	bool close_after;    /* HTTP */
	bool large;          /* HTTP: of a long body only the head is kept */
	uint64_t skip;       /* HTTP: bytes of it that are to come */
	uint64_t in, out;    /* all bytes */
	uint64_t taken;      /* behind the line */
	uint64_t give;       /* bytes still to send */
	uint64_t given;
	uint64_t due_ns;     /* nothing before */
	long long argument[4];
	char *head;          /* HEAD_MAX: the first line, requests, echoes */
	size_t head_size, echo_at;
	struct connection *next; /* of those that wait for a time */
	bool waits;
};

struct totals {
	uint64_t connections, open, in, out, requests, wrong, resets;
};

static struct {
	int epoll_fd;
	FILE *log;
	struct totals sum;
	struct connection *waiting;
	int listener[LISTENERS_MAX];
	size_t listeners;
} origin;

static void address_text(const struct sockaddr_storage *at, char *ret,
                         size_t room)
{
	const struct sockaddr_in *four = (const void *)at;
	const struct sockaddr_in6 *six = (const void *)at;
	char host[INET6_ADDRSTRLEN] = "?";

	if (at->ss_family == AF_INET)
		inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
	else
		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
	snprintf(ret, room, at->ss_family == AF_INET ||
	         IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) ? "%s:%d" : "[%s]:%d",
	         strncmp(host, "::ffff:", 7) == 0 ? host + 7 : host,
	         ntohs(six->sin6_port));
}

static void log_end(const struct connection *of, const char *how)
{
	struct sockaddr_storage at = { 0 };
	socklen_t size = sizeof(at);
	char text[80];

	if (!origin.log)
		return;
	getsockname(of->fd, (struct sockaddr *)&at, &size);
	address_text(&at, text, sizeof(text));
	fprintf(origin.log, "{\"end\":\"%s\",\"to\":\"%s\",\"in\":%llu,"
	        "\"out\":%llu}\n", how, text, (unsigned long long)of->in,
	        (unsigned long long)of->out);
	fflush(origin.log);
}

/* Takes it out of those that wait, closes it, frees it. */
static void end(struct connection *of, const char *how, bool reset)
{
	struct connection **at = &origin.waiting;

	while (*at && *at != of)
		at = &(*at)->next;
	if (*at)
		*at = of->next;
	log_end(of, how);
	origin.sum.open--;
	if (strcmp(how, "reset") == 0)
		origin.sum.resets++;
	if (reset)
		reset_close(of->fd);
	else
		close(of->fd);
	free(of->head);
	free(of);
}

static void wait_until(struct connection *of, uint64_t ms)
{
	of->due_ns = now_ns() + ms * 1000000U;
	if (!of->waits) {
		of->next = origin.waiting;
		origin.waiting = of;
	}
	of->waits = true;
}

/* 1 all of it, 0 no more room now, -1 the connection is gone. */
static int send_bytes(struct connection *of, const void *bytes, size_t size,
                      size_t *ret_sent)
{
	*ret_sent = 0;
	while (*ret_sent < size) {
		ssize_t sent = send(of->fd, (const char *)bytes + *ret_sent,
		                    size - *ret_sent, MSG_NOSIGNAL |
		                    MSG_DONTWAIT);

		if (sent < 0)
			return errno == EAGAIN ? 0 : -1;
		*ret_sent += (size_t)sent;
		of->out += (uint64_t)sent;
		origin.sum.out += (uint64_t)sent;
	}
	return 1;
}

/* Sends what of->give says: as send_bytes. After some of it others have their
 * turn. */
static int pour(struct connection *of)
{
	for (int turn = 0; of->give > 0; turn++) {
		size_t size = of->give < BLOCK ? of->give : BLOCK, sent;
		int state;

		if (turn == 4) {
			wait_until(of, 0);
			return 0;
		}

		if (of->mode == DRIP)
			size = 1;
		state = send_bytes(of, pattern(of->given), size, &sent);
		of->give -= sent;
		of->given += sent;
		if (state <= 0)
			return state;
		if (of->mode == DRIP && of->give) {
			wait_until(of, (uint64_t)of->argument[1]);
			return 0;
		}
	}
	return 1;
}

static void check(struct connection *of, const unsigned char *bytes,
                  size_t size)
{
	/* A client's mark at the end of a mix follows no pattern. */
	uint64_t limit = of->mode == MIX ? (uint64_t)of->argument[0] : 0;

	for (size_t i = 0; i < size && of->taken + i < limit; i++) {
		if (bytes[i] == *pattern(of->taken + i))
			continue;
		origin.sum.wrong++;
		return;
	}
}

/* The rest of a mix once both directions have had their bytes: false, it is
 * over. */
static bool mix(struct connection *of)
{
	uint64_t up = (uint64_t)of->argument[0];
	size_t sent;

	switch ((enum ending)of->argument[2]) {
	case BOTH:
	case CLIENT_RESETS:
	case ORIGIN_RESETS:
		if (of->answered || of->taken <= up || of->give)
			break;
		of->answered = true;
		if (of->argument[2] == ORIGIN_RESETS) {
			end(of, "ours", true);
			return false;
		}
		send_bytes(of, ".", 1, &sent);
		if (of->argument[2] == BOTH)
			shutdown(of->fd, SHUT_WR), of->shut = true;
		break;
	case CLIENT_FIRST:
	case AT_ONCE:
		if (of->answered || !of->ended || of->give)
			break;
		of->answered = true;
		of->give = (uint64_t)of->argument[3];
		if (pour(of) > 0)
			shutdown(of->fd, SHUT_WR), of->shut = true;
		break;
	case ORIGIN_FIRST:
		if (of->give || of->shut || of->taken < up)
			break;
		shutdown(of->fd, SHUT_WR), of->shut = true;
		break;
	case ENDINGS:
		break;
	}
	if (of->answered && !of->give && !of->shut &&
	    of->argument[2] != CLIENT_RESETS)
		shutdown(of->fd, SHUT_WR), of->shut = true;
	if (of->ended && of->shut && !of->give) {
		end(of, "fin", false);
		return false;
	}
	return true;
}

/* As send_bytes, but it is never all. */
static int without_end(struct connection *of)
{
	static const char *const text[] = {
		"HTTP/1.1 100 Continue\r\n\r\n", "X: yyyyyyyyyyyyyyyyyyyy\r\n"
	};
	static char much[2][1 << 14];
	char *bytes = much[of->mode == HEAD];
	size_t size = strlen(text[of->mode == HEAD]), sent;
	int state;

	if (of->mode == HEAD && of->out == 0)
		send_bytes(of, "HTTP/1.1 200 OK\r\n", 17, &sent);
	for (size_t i = 0; !bytes[0] || i > 0; i++) {
		if ((i + 1) * size > sizeof(much[0]))
			break;
		memcpy(bytes + i * size, text[of->mode == HEAD], size);
	}
	for (int turn = 0; turn < 16; turn++) {
		size_t whole = sizeof(much[0]) / size * size;
		size_t at = of->given % whole;

		state = send_bytes(of, bytes + at, whole - at, &sent);
		of->given += sent;
		if (state <= 0)
			return state;
	}
	wait_until(of, 1); /* others have their turn */
	return 0;
}

/* What to do after bytes came, or room for them: false, it is over. */
static bool proceed(struct connection *of)
{
	int state = of->mode == FLOOD || of->mode == HEAD ? without_end(of) :
	            of->mode == AFTER && !of->ended ? 1 : pour(of);

	if (state < 0) {
		end(of, "reset", false);
		return false;
	}
	if (of->mode == MIX)
		return mix(of);
	if (state == 0)
		return true;
	if ((of->mode == GIVE || of->mode == DRIP || of->mode == HTTP) &&
	    !of->shut && (of->mode != HTTP || of->close_after))
		shutdown(of->fd, SHUT_WR), of->shut = true;
	if (of->ended && (of->mode != AFTER || of->answered)) {
		end(of, "fin", false);
		return false;
	}
	if (of->ended && !of->answered && of->mode == AFTER) {
		of->answered = true;
		of->give = (uint64_t)of->argument[0];
		wait_until(of, (uint64_t)of->argument[1]);
	}
	return true;
}

static void begin(struct connection *of, const char *line)
{
	static const struct {
		const char *word;
		enum mode mode;
	} word[] = {
		{ "echo", ECHO }, { "sink", SINK }, { "give", GIVE },
		{ "after", AFTER }, { "take", TAKE }, { "drip", DRIP },
		{ "deaf", DEAF }, { "mix", MIX },
	};
	const char *at = line;

	of->mode = strstr(line, " HTTP/1.") ? HTTP : SINK;
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		size_t size = strlen(word[i].word);

		if (strncmp(line, word[i].word, size) == 0 &&
		    (line[size] == '\0' || line[size] == ' '))
			of->mode = word[i].mode;
	}
	for (size_t i = 0; i < 4 && of->mode != HTTP &&
	     (at = strchr(at, ' ')); i++)
		of->argument[i] = strtoll(++at, NULL, 10);
	if (of->mode == GIVE || of->mode == DRIP)
		of->give = (uint64_t)of->argument[0];
	if (of->mode == MIX)
		of->give = (uint64_t)of->argument[1];
}

static void log_request(const char *bytes, size_t size)
{
	origin.sum.requests++;
	if (!origin.log)
		return;
	fprintf(origin.log, "{\"request\":\"");
	for (size_t i = 0; i < size; i++)
		fprintf(origin.log, bytes[i] >= ' ' && bytes[i] < 127 &&
		        bytes[i] != '"' && bytes[i] != '\\' ? "%c" : "\\u%04x",
		        (unsigned char)bytes[i]);
	fprintf(origin.log, "\"}\n");
	fflush(origin.log);
}

/* The size of a whole chunked body, 0: not there yet. */
static size_t chunked_size(const char *body, size_t size)
{
	size_t at = 0;

	for (;;) {
		const char *line = memchr(body + at, '\n', size - at);
		char *stop;
		unsigned long chunk;

		if (!line)
			return 0;
		chunk = strtoul(body + at, &stop, 16);
		at = (size_t)(line - body) + 1;
		if (chunk == 0) {
			while ((line = memchr(body + at, '\n', size - at))) {
				bool last = line - body - (long)at <= 1;

				at = (size_t)(line - body) + 1;
				if (last)
					return at;
			}
			return 0;
		}
		if (chunk > size - at || size - at - chunk < 2)
			return 0;
		at += chunk + 2;
	}
}

static const char *field(const char *head, const char *name)
{
	const char *at = strcasestr(head, name);

	return at ? at + strlen(name) + strspn(at + strlen(name), " \t") : NULL;
}

/* Whole bytes of the first request there, 0: not yet. */
static size_t request_size(struct connection *of)
{
	const char *stop = strstr(of->head, "\r\n\r\n");
	const char *length, *coding;
	size_t head = stop ? (size_t)(stop - of->head) + 4 : 0, body;
	char text[HEAD_MAX];

	if (!stop)
		return 0;
	memcpy(text, of->head, head);
	text[head] = '\0';
	length = field(text, "\r\ncontent-length:");
	coding = field(text, "\r\ntransfer-encoding:");
	if (coding) {
		body = chunked_size(of->head + head, of->head_size - head);
		return body ? head + body : 0;
	}
	body = length ? strtoul(length, NULL, 10) : 0;
	if (body > HEAD_MAX / 2 && !of->large) {
		of->large = true;
		of->skip = body - (of->head_size - head);
		of->head_size = head;
	}
	if (of->large)
		return of->skip ? 0 : head;
	return of->head_size - head >= body ? head + body : 0;
}

static void answer_raw(struct connection *of, const char *hex)
{
	char bytes[HEAD_MAX / 2];
	size_t size = 0, sent;
	unsigned value;

	while (size < sizeof(bytes) && sscanf(hex, "%2x", &value) == 1) {
		bytes[size++] = (char)value;
		hex += 2;
	}
	send_bytes(of, bytes, size, &sent);
}

/*
 * Paths: /bytes/N with a length, /chunked/N, /until/N up to the end,
 * /status/N without a body, /socket a WebSocket that echoes, /socket/NAME an
 * upgrade to that, /raw/HEX and /rawclose/HEX those bytes,
 * /endless/flood "100 Continue" without end, /endless/head a head likewise;
 * any other is answered with "ok".
 */
static void http(struct connection *of, const char *path)
{
	unsigned long n = strtoul(path + strcspn(path + 1, "/") + 2, NULL, 10);
	const char *tail = "";
	char head[256];
	size_t sent;

	if (strncmp(path, "/endless/", 9) == 0) {
		of->mode = path[9] == 'f' ? FLOOD : HEAD;
		return;
	}
	if (strncmp(path, "/raw", 4) == 0) {
		of->close_after |= path[4] == 'c';
		answer_raw(of, path + (path[4] == 'c' ? 10 : 5));
		return;
	}
	if (strncmp(path, "/chunked/", 9) == 0) {
		snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\n"
		         "Transfer-Encoding: chunked\r\n\r\n");
		tail = n ? "1\r\nx\r\n2;a=b\r\nyz\r\n0\r\n\r\n" : "0\r\n\r\n";
	} else if (strncmp(path, "/until/", 7) == 0) {
		snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\n"
		         "Connection: close\r\n\r\n");
		of->give = n;
		of->close_after = true;
	} else if (strncmp(path, "/socket", 7) == 0) {
		snprintf(head, sizeof(head), "HTTP/1.1 101 Becomes\r\n"
		         "Connection: upgrade\r\nUpgrade: %.32s\r\n"
		         "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
		         "\r\n", path[7] ? path + 8 : "websocket");
		of->mode = ECHO;
	} else if (strncmp(path, "/status/", 8) == 0) {
		snprintf(head, sizeof(head), "HTTP/1.1 %03lu Status\r\n%s\r\n",
		         n % 1000, n == 204 || n == 304 || n < 200 ? "" :
		         "Content-Length: 0\r\n");
	} else {
		bool bytes = strncmp(path, "/bytes/", 7) == 0;

		snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\n"
		         "Content-Length: %lu\r\n\r\n", bytes ? n : 2);
		of->give = bytes ? n : 0;
		tail = bytes ? "" : "ok";
	}
	send_bytes(of, head, strlen(head), &sent);
	send_bytes(of, tail, strlen(tail), &sent);
}

static void requests(struct connection *of)
{
	size_t size;

	while (!of->give && !of->close_after && (size = request_size(of)) > 0) {
		char path[HEAD_MAX] = "/";
		bool none = strncmp(of->head, "HEAD ", 5) == 0;

		log_request(of->head, size);
		sscanf(of->head, "%*s %65000s", path);
		of->given = 0;
		of->close_after = strcasestr(of->head, "\r\nconnection: close");
		http(of, path);
		if (none)
			of->give = 0;
		of->head_size -= size;
		of->large = false;
		memmove(of->head, of->head + size, of->head_size + 1);
		if (of->mode == ECHO) { /* what came with the request */
			send_bytes(of, of->head, of->head_size, &size);
			of->head_size = 0;
			return;
		}
	}
}

/* Bytes that came, the first line being known: false, it is over. */
static bool take(struct connection *of, const char *bytes, size_t size)
{
	size_t sent;

	check(of, (const void *)bytes, size);
	of->taken += size;
	if (of->mode == TAKE && of->taken >= (uint64_t)of->argument[0]) {
		end(of, "ours", true);
		return false;
	}
	if (of->mode == ECHO && send_bytes(of, bytes, size, &sent) == 0 &&
	    sent < size) {
		memmove(of->head, bytes + sent, size - sent);
		of->head_size = size - sent;
		of->echo_at = 0;
	}
	return true;
}

/* The first line, or a request: what is behind a line is taken. */
static bool collect(struct connection *of, const char *bytes, size_t size)
{
	char *stop;
	size_t used;

	if (of->skip) {
		used = of->skip < size ? of->skip : size;
		of->skip -= used;
		bytes += used;
		size -= used;
	}
	if (of->head_size + size >= HEAD_MAX)
		size = HEAD_MAX - 1 - of->head_size;
	memcpy(of->head + of->head_size, bytes, size);
	of->head_size += size;
	of->head[of->head_size] = '\0';
	if (of->mode == UNKNOWN) {
		stop = memchr(of->head, '\n', of->head_size);
		if (!stop && of->head_size < 4096 && !of->ended)
			return true;
		used = stop ? (size_t)(stop - of->head) + 1 : 0;
		if (stop)
			*stop = '\0';
		begin(of, of->head);
		if (stop)
			*stop = '\n';
		if (of->mode != HTTP) {
			size = of->head_size - used;
			of->head_size = 0;
			memmove(of->head, of->head + used, size);
			return take(of, of->head, size);
		}
	}
	requests(of);
	return true;
}

/* The echo of before that there was no room for: false, still none. */
static bool echo_rest(struct connection *of)
{
	size_t sent;
	int state;

	if (of->mode != ECHO || of->head_size == 0)
		return true;
	state = send_bytes(of, of->head + of->echo_at, of->head_size, &sent);
	of->echo_at += sent;
	of->head_size -= sent;
	return state != 0;
}

static void serve(struct connection *of, bool force)
{
	static char bytes[HEAD_MAX / 2];
	ssize_t got;

	if (of->due_ns && !force)
		return;
	of->due_ns = 0;
	while (of->mode != DEAF && !of->ended && echo_rest(of) &&
	       of->head_size < HEAD_MAX / 2) {
		bool skim = of->mode == SINK || of->mode == GIVE;

		got = recv(of->fd, bytes, sizeof(bytes), MSG_DONTWAIT |
		           (skim ? MSG_TRUNC : 0));
		if (got < 0 && errno == EAGAIN)
			break;
		if (got < 0) {
			end(of, "reset", false);
			return;
		}
		of->ended = got == 0;
		of->in += (uint64_t)got;
		origin.sum.in += (uint64_t)got;
		if (skim)
			continue;
		if (of->mode == UNKNOWN || of->mode == HTTP) {
			if (!collect(of, bytes, (size_t)got))
				return;
		} else if (!take(of, bytes, (size_t)got)) {
			return;
		}
	}
	while (proceed(of) && of->mode == HTTP && !of->give &&
	       !of->close_after && request_size(of) > 0)
		requests(of);
}

static void accept_all(int listener_fd)
{
	struct connection *of;
	int on = 1, fd;

	while ((fd = accept4(listener_fd, NULL, NULL,
	                     SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		of = calloc(1, sizeof(*of));
		if (!of || !(of->head = malloc(HEAD_MAX)))
			die("memory");
		of->fd = fd;
		origin.sum.connections++;
		origin.sum.open++;
		watch(origin.epoll_fd, fd, of);
	}
}

static void tell(bool clear)
{
	const struct totals *sum = &origin.sum;
	struct totals left = { .open = sum->open };

	printf("{\"connections\":%llu,\"open\":%llu,\"in\":%llu,\"out\":%llu,"
	       "\"requests\":%llu,\"wrong\":%llu,\"resets\":%llu}\n",
	       (unsigned long long)sum->connections,
	       (unsigned long long)sum->open, (unsigned long long)sum->in,
	       (unsigned long long)sum->out, (unsigned long long)sum->requests,
	       (unsigned long long)sum->wrong,
	       (unsigned long long)sum->resets);
	fflush(stdout);
	if (clear)
		origin.sum = left;
}

/* Those whose time has come; how long until the next one, ms or -1. */
static int late(void)
{
	uint64_t now = now_ns(), next = UINT64_MAX;
	struct connection *of, *following;

	for (of = origin.waiting; of; of = following) {
		following = of->next;
		if (of->due_ns && of->due_ns <= now)
			serve(of, true);
	}
	for (of = origin.waiting; of; of = of->next)
		if (of->due_ns && of->due_ns < next)
			next = of->due_ns;
	if (next == UINT64_MAX)
		return -1;
	return next > now ? (int)((next - now) / 1000000) + 1 : 0;
}

static void listen_at(const char *where)
{
	struct sockaddr_storage at;
	socklen_t size = endpoint(where, &at);
	int on = 1, off = 0, fd;

	if (origin.listeners == LISTENERS_MAX)
		die("too many addresses");
	fd = socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (at.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) < 0 ||
	    listen(fd, 4096) < 0)
		die(where);
	origin.listener[origin.listeners] = fd;
	watch(origin.epoll_fd, fd, &origin.listener[origin.listeners++]);
}

static bool command(void)
{
	char line[64];

	if (!fgets(line, sizeof(line), stdin))
		return false;
	if (strcmp(line, "totals\n") == 0 || strcmp(line, "clear\n") == 0)
		tell(line[0] == 'c');
	return true;
}

static bool is_listener(const void *of)
{
	return of >= (void *)origin.listener &&
	       of < (void *)(origin.listener + LISTENERS_MAX);
}

int main(int argc, char **argv)
{
	struct epoll_event events[EVENTS], input = { .events = EPOLLIN };
	int i = 1, count;

	widen_files();
	signal(SIGPIPE, SIG_IGN);
	origin.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (argc > 2 && strcmp(argv[1], "--log") == 0) {
		origin.log = fopen(argv[2], "we");
		if (!origin.log)
			die(argv[2]);
		i = 3;
	}
	for (; i < argc; i++)
		listen_at(argv[i]);
	setvbuf(stdin, NULL, _IONBF, 0);
	if (epoll_ctl(origin.epoll_fd, EPOLL_CTL_ADD, 0, &input) < 0)
		die("standard input has to be a pipe");
	tell(false);
	for (;;) {
		count = epoll_wait(origin.epoll_fd, events, EVENTS, late());
		for (i = 0; i < count; i++) {
			void *of = events[i].data.ptr;

			if (!of && !command())
				return 0;
			if (of && is_listener(of))
				accept_all(*(int *)of);
			else if (of)
				serve(of, false);
		}
	}
}
