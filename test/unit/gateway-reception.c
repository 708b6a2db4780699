/* gateway-reception - who may ask a gateway about its jobs, and what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/count.h"
#include "base/fd.h"
#include "base/str.h"
#include "gateway/reception.h"

static const uint8_t right[CX_MESSAGE_SECRET_BYTES] = "a secret of this test";
static const uint8_t wrong[CX_MESSAGE_SECRET_BYTES] = "a secret of this";
static const struct cx_terrain terrain = { 0 };

struct world {
	struct cx_job_table table;
	struct cx_registrar registrar;
	struct cx_reception reception;
	int number, fd;         /* a connection, and its other end */
	int begun, cut;
	struct cx_message message;
};

static int begin(void *context, struct cx_job *job)
{
	struct world *world = context;

	(void)job;
	world->begun++;
	return 0;
}

static void cut(void *context, struct cx_job *job, bool listening)
{
	struct world *world = context;

	(void)listening;
	world->cut++;
	job->open = 0;
}

static int set_up(void **state)
{
	static struct world world;
	const struct cx_registrar_path path = { &world, begin, cut, NULL };
	int end[2];

	assert_int_equal(cx_job_start(&world.table), 0);
	assert_int_equal(cx_registrar_start(&world.table, &terrain, &path,
	                                    &world.registrar), 0);
	assert_int_equal(cx_reception_start(&world.registrar, right, -1,
	                                    &world.reception), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	                            end), 0);
	world.number = cx_reception_adopt(&world.reception, end[0]);
	world.fd = end[1];
	world.begun = world.cut = 0;
	*state = &world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	cx_fd_close_at(&world->fd);
	cx_reception_done(&world->reception);
	cx_registrar_done(&world->registrar);
	cx_job_done(&world->table);
	return 0;
}

static json_t *ask(struct world *world, const uint8_t *secret,
                   const char *text, const int *fd, size_t fds)
{
	json_t *value = NULL;
	struct cx_err err;

	assert_int_equal(cx_message_send(world->fd, secret, text,
	                                 strlen(text), fd, fds), 0);
	assert_true(cx_reception_serve(&world->reception, world->number));
	assert_int_equal(cx_message_receive(world->fd, &world->message), 1);
	assert_int_equal(cx_json_parse(world->message.text,
	                               world->message.size, "answer", &value,
	                               &err), 0);
	return value;
}

#define TOKEN "0123456789abcdef0123456789abcdef"
#define REGISTER(rest) "{\"do\":\"register\",\"registration\":{" rest "}}"
#define MINIMAL "\"token\":\"" TOKEN "\",\"tier\":\"allowlist\"," \
	"\"allowlist\":[\"index.example.net\"]"

static const struct {
	const uint8_t *secret;
	const char *text;
	const char *reason;
	int status;
} row[] = {
	{ NULL, REGISTER(MINIMAL), "control_unauthorized", 401 },
	{ wrong, REGISTER(MINIMAL), "control_unauthorized", 401 },
	{ wrong, "nonsense", "control_unauthorized", 401 },
	{ right, "nonsense", "bad_registration", 400 },
	{ right, "{\"do\":\"nothing\"}", "bad_registration", 400 },
	{ right, "{\"do\":\"register\"}", "bad_registration", 400 },
	{ right, REGISTER("\"token\":\"\",\"tier\":\"none\""),
	  "bad_registration", 400 },
	{ right, REGISTER("\"token\":\"short\",\"tier\":\"none\""),
	  "bad_registration", 400 },
	{ right, REGISTER(MINIMAL ",\"allowList\":[]"), "bad_registration",
	  400 },
	{ right, REGISTER("\"token\":\"" TOKEN "\",\"tier\":\"any\""),
	  "bad_registration", 400 },
	{ right, "{\"do\":\"usage\",\"token\":\"" TOKEN "\"}",
	  "unregistered_token", 404 },
	{ right, REGISTER(MINIMAL), "registered", 200 },
	{ right, REGISTER(MINIMAL), "registered", 200 },
	{ right, REGISTER(MINIMAL ",\"ports\":[22]"), "duplicate_token", 409 },
	{ right, "{\"do\":\"usage\",\"token\":\"" TOKEN "\"}", "usage", 200 },
	{ right, "{\"do\":\"usage\"}", "usage", 200 },
	{ right, "{\"do\":\"revoke\",\"token\":\"" TOKEN "\"}", "revoked",
	  200 },
	{ right, REGISTER(MINIMAL), "duplicate_token", 409 },
	{ right, "{\"do\":\"unregister\",\"token\":\"" TOKEN "\"}",
	  "unregistered", 200 },
	{ right, "{\"do\":\"unregister\",\"token\":\"" TOKEN "\"}",
	  "unregistered_token", 404 },
	{ right, "{\"do\":\"reload\"}", "reloaded", 200 },
};

static void answers(void **state)
{
	for (size_t i = 0; i < CX_COUNT(row); i++) {
		json_t *value = ask(*state, row[i].secret, row[i].text, NULL,
		                    0);

		if (!cx_str_same(cx_json_text(value, "reason"),
		                 row[i].reason) ||
		    cx_json_number(value, "status", 0) != row[i].status)
			fail_msg("row %zu: %s, %lld", i,
			         cx_json_text(value, "reason"),
			         (long long)cx_json_number(value, "status",
			                                   0));
		json_decref(value);
	}
}

static int listener(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

#define OWN "{\"do\":\"register\",\"registration\":{" MINIMAL \
	",\"jobId\":\"j1\",\"orgId\":\"acme\"},\"listeners\":[" \
	"{\"role\":\"proxy\",\"port\":3128}]}"

/* A job with a listener of its own lives as long as who registered it. */
static void ends_with_its_owner(void **state)
{
	struct world *world = *state;
	CX_AUTO_FD int fd = listener();
	json_t *value = ask(world, right, OWN, &fd, 1);
	struct cx_job *job = cx_job_by_id(&world->table, "j1");

	assert_int_equal(cx_json_number(value, "status", 0), 200);
	json_decref(value);
	assert_non_null(job);
	assert_int_equal(world->begun, 1);
	assert_ptr_equal(job->listener[0].job, job);
	cx_fd_close_at(&world->fd);
	assert_false(cx_reception_serve(&world->reception, world->number));
	assert_int_equal(world->cut, 1);
	assert_int_equal(job->state, CX_JOB_FREE);
	assert_null(cx_job_by_id(&world->table, "j1"));
}

/* As many listeners as descriptors, each what it is said to be. */
static void checks_descriptors(void **state)
{
	struct world *world = *state;
	CX_AUTO_FD int fd = listener();
	CX_AUTO_FD int plain = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int two[] = { fd, fd };
	json_t *value = ask(world, right, OWN, two, 2);

	assert_int_equal(cx_json_number(value, "status", 0), 400);
	json_decref(value);
	value = ask(world, right, OWN, NULL, 0);
	assert_int_equal(cx_json_number(value, "status", 0), 400);
	json_decref(value);
	value = ask(world, right, OWN, &plain, 1);
	assert_int_equal(cx_json_number(value, "status", 0), 400);
	json_decref(value);
	assert_null(cx_job_by_id(&world->table, "j1"));
}

int main(void)
{
	static const struct CMUnitTest test[] = {
		cmocka_unit_test_setup_teardown(answers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ends_with_its_owner, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(checks_descriptors, set_up,
		                                tear_down),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
