/* job.c - see job.h. */
#include "gateway/job.h"

#include <string.h>
#include <sys/mman.h>

#include "base/fd.h"
#include "base/promise.h"
#include "plane/toll.h"

/* Of a toll: taken at once, so that a read is rarely cut short by it. */
enum { PIECE_BYTES = 1 << 20, LOW_BYTES = 1 << 18 };

/* A page of zeros costs nothing until it is written to. */
static void *take_room(size_t count, size_t size)
{
	void *room = mmap(NULL, count * size, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return room == MAP_FAILED ? NULL : room;
}

int cx_job_start(struct cx_job_table *ret)
{
	*ret = (struct cx_job_table){ 0 };
	ret->job = take_room(CX_JOB_MAX, sizeof *ret->job);
	ret->entry = take_room((size_t)CX_JOB_MAX * CX_JOB_ENTRIES_MAX,
	                       sizeof *ret->entry);
	ret->alias = take_room(CX_JOB_MAX, sizeof *ret->alias);
	if (ret->job && ret->entry && ret->alias)
		return 0;
	cx_job_done(ret);
	return -1;
}

static void close_listeners(struct cx_job *job)
{
	for (size_t i = 0; i < job->listeners; i++)
		cx_fd_close_at(&job->listener[i].fd);
	job->listeners = 0;
}

void cx_job_done(struct cx_job_table *table)
{
	for (size_t i = 0; table->job && i < CX_JOB_MAX; i++)
		close_listeners(&table->job[i]);
	for (size_t i = 0; i < table->shareds; i++)
		cx_fd_close_at(&table->shared[i].fd);
	if (table->job)
		munmap(table->job, CX_JOB_MAX * sizeof *table->job);
	if (table->entry)
		munmap(table->entry, sizeof *table->entry *
		       ((size_t)CX_JOB_MAX * CX_JOB_ENTRIES_MAX));
	if (table->alias)
		munmap(table->alias, CX_JOB_MAX * sizeof *table->alias);
	*table = (struct cx_job_table){ 0 };
}

struct cx_job *cx_job_take(struct cx_job_table *table)
{
	for (size_t i = 0; i < CX_JOB_MAX; i++) {
		struct cx_job *job = &table->job[i];

		if (job->state != CX_JOB_FREE)
			continue;
		*job = (struct cx_job){
			.state = CX_JOB_LIVE,
			.generation = job->generation + 1,
			.up_max = CX_JOB_NO_LIMIT,
			.down_max = CX_JOB_NO_LIMIT,
			.total_max = CX_JOB_NO_LIMIT,
			.up_rate = CX_JOB_NO_LIMIT,
			.down_rate = CX_JOB_NO_LIMIT,
			.tunnels_max = UINT32_MAX,
			.owner = -1,
			.entry = table->entry + i * CX_JOB_ENTRIES_MAX,
			.alias = table->alias + i,
		};
		job->policy.entry = job->entry;
		memset(job->alias, 0, sizeof *job->alias);
		return job;
	}
	return NULL;
}

static uint64_t less(uint64_t max, uint64_t used)
{
	return used < max ? max - used : 0;
}

static void give_back(struct cx_job *job)
{
	if (!job->toll)
		return;
	cx_toll_give(job->toll, less(job->taken, job->up + job->down));
	cx_toll_unmap(job->toll);
	job->toll = NULL;
}

void cx_job_leave(struct cx_job *job)
{
	close_listeners(job);
	give_back(job);
	memset(job->token, 0, sizeof job->token);
	job->state = CX_JOB_GONE;
	cx_job_settle(job);
}

void cx_job_settle(struct cx_job *job)
{
	if (job->state == CX_JOB_GONE && job->open == 0)
		job->state = CX_JOB_FREE;
}

/* Both are padded with zeros to their whole size. */
static bool is_token(const char *a, const char *b)
{
	unsigned char differs = 0;

	for (size_t i = 0; i < CX_CREDENTIAL_TOKEN_BYTES; i++)
		differs |= (unsigned char)(a[i] ^ b[i]);
	return differs == 0;
}

static bool is_there(const struct cx_job *job)
{
	return job->state == CX_JOB_LIVE || job->state == CX_JOB_REVOKED;
}

struct cx_job *cx_job_by_token(struct cx_job_table *table, const char *token)
{
	char padded[CX_CREDENTIAL_TOKEN_BYTES] = { 0 };
	size_t size = strlen(token);
	struct cx_job *found = NULL;

	if (size < CX_JOB_TOKEN_MIN || size >= sizeof padded)
		return NULL;
	memcpy(padded, token, size);
	for (size_t i = 0; i < CX_JOB_MAX; i++) {
		struct cx_job *job = &table->job[i];

		if (is_there(job) && is_token(job->token, padded))
			found = job;
	}
	return found;
}

struct cx_job *cx_job_by_id(struct cx_job_table *table, const char *id)
{
	for (size_t i = 0; *id && i < CX_JOB_MAX; i++)
		if (is_there(&table->job[i]) &&
		    strcmp(table->job[i].id, id) == 0)
			return &table->job[i];
	return NULL;
}

enum cx_attribution cx_job_attribute(struct cx_job_table *table,
                                     const struct cx_job_listener *listener,
                                     const char *token, int64_t now,
                                     struct cx_job **ret_job)
{
	struct cx_job *by_token = token ? cx_job_by_token(table, token) : NULL;
	struct cx_job *job = listener->job ? listener->job : by_token;

	*ret_job = job;
	if (token && !by_token)
		return CX_ATTRIBUTION_UNKNOWN;
	if (!job)
		return CX_ATTRIBUTION_NONE;
	if (token && by_token != job)
		return CX_ATTRIBUTION_MISMATCH;
	if (!CX_PROMISE(job_revoked_now, job->state == CX_JOB_LIVE))
		return CX_ATTRIBUTION_REVOKED;
	if (job->expires_at != 0 && now >= job->expires_at)
		return CX_ATTRIBUTION_EXPIRED;
	return CX_ATTRIBUTION_JOB;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t left(struct cx_job *job)
{
	uint64_t used = job->up + job->down;
	uint64_t ahead, most;

	if (!job->toll)
		return less(job->total_max, used);
	ahead = less(job->taken, used);
	if (ahead >= LOW_BYTES)
		return ahead;
	most = smaller(PIECE_BYTES - ahead, less(job->total_max, job->taken));
	most = cx_toll_take(job->toll, job->toll_max, most);
	job->taken += most;
	return ahead + most;
}

uint64_t cx_job_left_up(struct cx_job *job)
{
	return smaller(less(job->up_max, job->up), left(job));
}

uint64_t cx_job_left_down(struct cx_job *job)
{
	return smaller(less(job->down_max, job->down), left(job));
}

bool cx_job_is_spent(struct cx_job *job)
{
	return cx_job_left_up(job) == 0 || cx_job_left_down(job) == 0;
}
