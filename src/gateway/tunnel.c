/* tunnel.c - see tunnel.h. */
#include "gateway/tunnel.h"

#include <sys/mman.h>

#include "base/fd.h"

int cx_tunnel_start(struct cx_tunnel_table *ret, uint32_t count)
{
	void *room = mmap(NULL, count * sizeof *ret->tunnel,
	                  PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*ret = (struct cx_tunnel_table){ .count = count };
	if (room == MAP_FAILED)
		return -1;
	ret->tunnel = room;
	return 0;
}

void cx_tunnel_done(struct cx_tunnel_table *table)
{
	if (table->tunnel)
		munmap(table->tunnel, table->count * sizeof *table->tunnel);
	*table = (struct cx_tunnel_table){ 0 };
}

struct cx_tunnel *cx_tunnel_take(struct cx_tunnel_table *table)
{
	struct cx_tunnel *tunnel = table->free;
	uint32_t generation;

	if (tunnel)
		table->free = tunnel->next;
	else if (table->fresh < table->count)
		tunnel = &table->tunnel[table->fresh++];
	else
		return NULL;
	table->used++;
	generation = tunnel->generation + 1;
	*tunnel = (struct cx_tunnel){
		.generation = generation, .lookup = -1,
		.end = { { .fd = -1 }, { .fd = -1 } },
		.way = { { .pipe = -1, .left = UINT64_MAX },
		         { .pipe = -1, .left = UINT64_MAX } },
	};
	return tunnel;
}

void cx_tunnel_give(struct cx_tunnel_table *table, struct cx_tunnel *tunnel)
{
	tunnel->state = CX_TUNNEL_FREE;
	tunnel->next = table->free;
	table->free = tunnel;
	table->used--;
}

uint32_t cx_tunnel_number(const struct cx_tunnel_table *table,
                          const struct cx_tunnel *tunnel)
{
	return (uint32_t)(tunnel - table->tunnel);
}

void cx_tunnel_part(struct cx_tunnel_table *table, struct cx_tunnel *tunnel)
{
	table->origins -= tunnel->end[CX_ORIGIN].fd >= 0;
	cx_fd_close_at(&tunnel->end[CX_ORIGIN].fd);
}

void cx_tunnel_hang(struct cx_tunnel *tunnel, struct cx_job *job)
{
	tunnel->job = job;
	tunnel->previous = NULL;
	tunnel->next = job->first;
	if (job->first)
		job->first->previous = tunnel;
	job->first = tunnel;
	job->open++;
	job->tunnels++;
}

void cx_tunnel_unhang(struct cx_tunnel *tunnel)
{
	struct cx_job *job = tunnel->job;

	if (!job)
		return;
	if (tunnel->previous)
		tunnel->previous->next = tunnel->next;
	else
		job->first = tunnel->next;
	if (tunnel->next)
		tunnel->next->previous = tunnel->previous;
	tunnel->job = NULL;
	job->open--;
	cx_job_settle(job);
}
