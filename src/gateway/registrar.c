/* registrar.c - see registrar.h. */
#include "gateway/registrar.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/promise.h"
#include "gateway/enquiry.h"
#include "plane/registration.h"
#include "plane/toll.h"

enum { OK = 200, BAD = 400, UNAUTHORIZED = 401, ABSENT = 404, TAKEN = 409,
       FULL = 507 };

/* One question on its way. */
struct asked {
	struct cx_registrar *registrar;
	int owner;
	const struct cx_enquiry *enquiry;
	int *fd;
	size_t fds;
};

int cx_registrar_start(struct cx_job_table *table,
                       const struct cx_terrain *terrain,
                       const struct cx_registrar_path *path,
                       struct cx_registrar *ret)
{
	void *room = mmap(NULL, CX_JOB_ENTRIES_MAX * sizeof *ret->room,
	                  PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*ret = (struct cx_registrar){
		.table = table, .terrain = terrain, .path = *path,
	};
	if (room == MAP_FAILED)
		return -1;
	ret->room = room;
	return 0;
}

void cx_registrar_done(struct cx_registrar *registrar)
{
	if (registrar->room)
		munmap(registrar->room,
		       CX_JOB_ENTRIES_MAX * sizeof *registrar->room);
	registrar->room = NULL;
}

static json_t *answer(const char *decision, int status, const char *reason)
{
	return json_pack("{s:s, s:i, s:s}", "decision", decision, "status",
	                 status, "reason", reason);
}

static json_t *refuse(int status, const char *reason, const char *why)
{
	json_t *value = answer("reject", status, reason);

	json_object_set_new(value, "message", json_string(why));
	return value;
}

static json_t *refuse_for(const struct cx_err *err)
{
	json_t *value = refuse(BAD, "bad_registration", err->text);

	if (*err->pointer)
		json_object_set_new(value, "pointer",
		                    json_string(err->pointer));
	return value;
}

json_t *cx_registrar_unauthorized(void)
{
	return answer("deny", UNAUTHORIZED, "control_unauthorized");
}

static json_t *tell_ceiling(uint64_t max)
{
	return max == CX_JOB_NO_LIMIT ? json_null()
	                              : json_integer((json_int_t)max);
}

static json_t *usage(const struct cx_job *job)
{
	json_t *value = json_pack(
		"{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I}",
		"jobId", job->id, "orgId", job->org,
		"tier", cx_tier_text(job->policy.tier),
		"state", job->state == CX_JOB_REVOKED ? "revoked" : "live",
		"upBytes", (json_int_t)job->up,
		"downBytes", (json_int_t)job->down,
		"totalBytes", (json_int_t)job->up + (json_int_t)job->down,
		"tunnels", (json_int_t)job->tunnels,
		"openTunnels", (json_int_t)job->open,
		"denied", (json_int_t)job->denied);

	json_object_set_new(value, "maxBytes", tell_ceiling(job->total_max));
	return value;
}

static json_t *answer_usage(const char *reason, const struct cx_job *job)
{
	json_t *value = answer("allow", OK, reason);

	json_object_set_new(value, "usage", usage(job));
	return value;
}

static json_t *no_such_job(void)
{
	json_t *value = answer("deny", ABSENT, "unregistered_token");

	json_object_set_new(value, "message",
	                    json_string("no such job is registered"));
	return value;
}

static void fill(const struct cx_registration *from,
                 const struct cx_terrain *terrain, struct cx_job *job)
{
	snprintf(job->id, sizeof job->id, "%s", from->id);
	snprintf(job->org, sizeof job->org, "%s", from->org);
	snprintf(job->token, sizeof job->token, "%s", from->token);
	memcpy(job->entry, from->entry, from->entries * sizeof *from->entry);
	job->policy.tier = from->tier;
	job->policy.entries = from->entries;
	memcpy(job->policy.port, from->port, sizeof job->policy.port);
	job->policy.ports = from->ports;
	job->policy.terrain = terrain;
	job->expires_at = from->expires_at;
	job->digest = from->digest;
	job->up_max = from->up_max;
	job->down_max = from->down_max;
	job->total_max = from->total_max;
	job->up_rate = from->up_rate;
	job->down_rate = from->down_rate;
	job->tunnels_max = from->tunnels_max;
}

/* A socket that takes connections (or questions) and doesn't wait. */
static bool is_listener(int fd, enum cx_portal_role role)
{
	int type = 0, listens = 0;
	socklen_t size = sizeof type;
	bool dgram = role == CX_PORTAL_DNS_UDP;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 ||
	    type != (dgram ? SOCK_DGRAM : SOCK_STREAM))
		return false;
	size = sizeof listens;
	if (!dgram && (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens,
	                          &size) < 0 || !listens))
		return false;
	return fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

/* All that came, or none. */
static bool take_listeners(struct asked *asked, struct cx_job *job)
{
	const struct cx_enquiry *enquiry = asked->enquiry;

	for (size_t i = 0; i < enquiry->listeners; i++)
		if (!is_listener(asked->fd[i], enquiry->listener[i].role))
			return false;
	for (size_t i = 0; i < enquiry->listeners; i++) {
		job->listener[i] = enquiry->listener[i];
		job->listener[i].job = job;
		job->listener[i].fd = cx_fd_take(&asked->fd[i]);
	}
	job->listeners = enquiry->listeners;
	return true;
}

static bool take_toll(const struct asked *asked, struct cx_job *job)
{
	const struct cx_enquiry *enquiry = asked->enquiry;

	if (!enquiry->has_toll)
		return true;
	job->toll_max = enquiry->toll_max;
	job->toll = cx_toll_map(asked->fd[enquiry->listeners]);
	return job->toll;
}

static json_t *add(struct asked *asked, const struct cx_registration *from)
{
	struct cx_registrar *registrar = asked->registrar;
	const struct cx_registrar_path *path = &registrar->path;
	struct cx_job *job = cx_job_take(registrar->table);

	if (!job)
		return refuse(FULL, "table_full", "this gateway serves as "
		              "many jobs as it can");
	fill(from, registrar->terrain, job);
	if (!take_toll(asked, job) || !take_listeners(asked, job)) {
		cx_job_leave(job);
		return refuse(BAD, "bad_registration", "a descriptor isn't of "
		              "the kind that it is said to be");
	}
	if (path->begin(path->context, job) < 0) {
		cx_job_leave(job);
		return refuse(FULL, "table_full", "the listeners can't be "
		              "watched");
	}
	if (job->listeners > 0)
		job->owner = asked->owner;
	return answer("allow", OK, "registered");
}

/* Where its token or its id is there already, it must be the same. */
static json_t *compare(const struct cx_registration *from,
                       const struct cx_job *by_token,
                       const struct cx_job *by_id)
{
	const struct cx_job *job = by_token ? by_token : by_id;

	if (CX_PROMISE(control_again,
	               cx_digest_same(&job->digest, &from->digest) &&
	               job->state == CX_JOB_LIVE))
		return answer("allow", OK, "registered");
	if (by_token)
		return refuse(TAKEN, "duplicate_token", "the token is "
		              "registered with another policy");
	return refuse(TAKEN, "duplicate_job", "the job is registered with "
	              "another token or policy");
}

static json_t *do_register(struct asked *asked)
{
	struct cx_registrar *registrar = asked->registrar;
	const json_t *value = asked->enquiry->registration;
	struct cx_registration from;
	struct cx_job *by_token, *by_id;
	struct cx_err err = { 0 };

	if (asked->enquiry->listeners + asked->enquiry->has_toll !=
	    asked->fds)
		return refuse(BAD, "bad_registration", "there must be a "
		              "descriptor for each listener, and a toll's");
	if (!value)
		return refuse(BAD, "bad_registration", "there is no "
		              "registration in it");
	if (cx_registration_read(value, registrar->room, &from, &err) < 0)
		return refuse_for(&err);
	if (asked->enquiry->listeners > 0 && (!*from.id || !*from.org))
		return refuse(BAD, "bad_registration", "a job with listeners "
		              "of its own names jobId and orgId");
	by_token = cx_job_by_token(registrar->table, from.token);
	by_id = cx_job_by_id(registrar->table, from.id);
	if (by_token || by_id)
		return compare(&from, by_token, by_id);
	return add(asked, &from);
}

static struct cx_job *find(const struct asked *asked)
{
	const struct cx_enquiry *enquiry = asked->enquiry;
	struct cx_job_table *table = asked->registrar->table;

	if (enquiry->token)
		return cx_job_by_token(table, enquiry->token);
	return enquiry->id ? cx_job_by_id(table, enquiry->id) : NULL;
}

static void add_up(struct cx_registrar_sum *sum, const struct cx_job *job)
{
	sum->jobs++;
	sum->up += job->up;
	sum->down += job->down;
	sum->tunnels += job->tunnels;
	sum->denied += job->denied;
}

static json_t *remove_job(struct cx_registrar *registrar, struct cx_job *job)
{
	json_t *value;

	registrar->path.cut(registrar->path.context, job, false);
	value = answer_usage("unregistered", job);
	add_up(&registrar->ended, job);
	cx_job_leave(job);
	return value;
}

static json_t *do_unregister(struct asked *asked)
{
	struct cx_job *job = find(asked);

	return job ? remove_job(asked->registrar, job) : no_such_job();
}

static json_t *do_revoke(struct asked *asked)
{
	const struct cx_registrar_path *path = &asked->registrar->path;
	struct cx_job *job = find(asked);

	if (!job)
		return no_such_job();
	job->state = CX_JOB_REVOKED;
	path->cut(path->context, job, true);
	return answer_usage("revoked", job);
}

/* Each that is there, and the sum with those that were. */
static json_t *usage_of_all(const struct cx_registrar *registrar)
{
	struct cx_registrar_sum sum = registrar->ended;
	json_t *value = answer("allow", OK, "usage");
	json_t *list = json_array();

	for (size_t i = 0; i < CX_JOB_MAX; i++) {
		const struct cx_job *job = &registrar->table->job[i];

		if (job->state != CX_JOB_LIVE && job->state != CX_JOB_REVOKED)
			continue;
		add_up(&sum, job);
		json_array_append_new(list, usage(job));
	}
	json_object_set_new(value, "jobs", list);
	json_object_set_new(value, "total", json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I}",
		"jobs", (json_int_t)sum.jobs, "upBytes", (json_int_t)sum.up,
		"downBytes", (json_int_t)sum.down,
		"totalBytes", (json_int_t)sum.up + (json_int_t)sum.down,
		"tunnels", (json_int_t)sum.tunnels,
		"denied", (json_int_t)sum.denied));
	return value;
}

static json_t *do_usage(struct asked *asked)
{
	struct cx_job *job = find(asked);

	if (job)
		return answer_usage("usage", job);
	if (asked->enquiry->token || asked->enquiry->id)
		return no_such_job();
	return usage_of_all(asked->registrar);
}

static json_t *do_reload(struct asked *asked)
{
	const struct cx_registrar_path *path = &asked->registrar->path;
	struct cx_err err = { 0 };

	if (path->reload && path->reload(path->context, &err) < 0)
		return refuse(BAD, cx_err_name(err.code), err.text);
	return answer("allow", OK, "reloaded");
}

json_t *cx_registrar_answer(struct cx_registrar *registrar, int owner,
                            const char *text, size_t size, int *fd,
                            size_t fds)
{
	static json_t *(*const act[])(struct asked *) = {
		[CX_ENQUIRY_REGISTER] = do_register,
		[CX_ENQUIRY_UNREGISTER] = do_unregister,
		[CX_ENQUIRY_REVOKE] = do_revoke,
		[CX_ENQUIRY_USAGE] = do_usage,
		[CX_ENQUIRY_RELOAD] = do_reload,
	};
	CX_AUTO_ENQUIRY struct cx_enquiry enquiry;
	struct cx_err err = { 0 };
	struct asked asked = { registrar, owner, &enquiry, fd, fds };

	if (cx_enquiry_read(text, size, &enquiry, &err) < 0)
		return refuse_for(&err);
	return act[enquiry.verb](&asked);
}

void cx_registrar_leave(struct cx_registrar *registrar, int owner)
{
	for (size_t i = 0; i < CX_JOB_MAX; i++) {
		struct cx_job *job = &registrar->table->job[i];

		if (job->owner == owner && (job->state == CX_JOB_LIVE ||
		                            job->state == CX_JOB_REVOKED))
			json_decref(remove_job(registrar, job));
	}
}
