/* reading.c - see reading.h. */
#include "audit/reading.h"

#include <errno.h>

#include "audit/project.h"
#include "base/fd.h"
#include "base/mem.h"
#include "store/history.h"

/* The last lines seen, for reading->last. */
struct ring {
	struct cx_buf *line;
	uint64_t size, next, count;
};

static void compose(const struct cx_history_row *row,
                    const struct cx_project *project, struct cx_buf *ret)
{
	cx_buf_clear(ret);
	cx_buf_print(ret, "{\"index\":%llu,\"at\":",
	             (unsigned long long)row->index);
	if (row->margin.at[0])
		cx_buf_print(ret, "\"%s\"", row->margin.at);
	else
		cx_buf_text(ret, "null");
	cx_buf_text(ret, ",\"event\":");
	cx_buf_add(ret, project->json.data, project->json.size);
	cx_buf_byte(ret, '}');
}

static void note_damage(struct cx_reading *reading,
                        const struct cx_history_row *row, bool fits)
{
	if (fits && !row->damage)
		return;
	if (reading->damaged++ > 0)
		return;
	cx_err_set(&reading->first, CX_E_AUDIT_CHAIN_BROKEN, "record %llu: %s",
	           (unsigned long long)row->index,
	           row->damage ? row->damage
	                       : "its line isn't the form of a record");
}

/* false: the reader wants no more. */
static bool give(struct cx_reading *reading, struct ring *ring,
                 const struct cx_buf *line)
{
	reading->given++;
	if (ring->size == 0)
		return reading->give(line->data, line->size,
		                     reading->context) &&
		       reading->given != reading->limit;
	cx_buf_clear(&ring->line[ring->next]);
	cx_buf_add(&ring->line[ring->next], line->data, line->size);
	ring->next = (ring->next + 1) % ring->size;
	if (ring->count < ring->size)
		ring->count++;
	return true;
}

static bool handle(struct cx_reading *reading, struct ring *ring,
                   const struct cx_history_row *row, struct cx_buf *line)
{
	struct cx_project project;
	bool fits = cx_project_line(row->line, row->size, &project);
	bool more = true;

	note_damage(reading, row, fits);
	reading->gap += row->margin.gap;
	if (project.json.size > 0 &&
	    cx_filter_admits(&reading->filter, &project.event,
	                     row->margin.at)) {
		compose(row, &project, line);
		more = give(reading, ring, line);
	}
	cx_project_done(&project);
	return more;
}

/* 1: more is wanted; 0: enough; -1. */
static int list_log(struct cx_reading *reading, struct ring *ring,
                    int audit_fd, const char *origin, struct cx_err *err)
{
	CX_AUTO_HISTORY struct cx_history history = { .dir_fd = -1 };
	CX_AUTO_BUF struct cx_buf line = { 0 };
	struct cx_history_row row;
	int got;

	if (cx_history_open(audit_fd, origin, &history, err) < 0)
		return -1;
	while ((got = cx_history_next(&history, &row, err)) > 0)
		if (!handle(reading, ring, &row, &line))
			return 0;
	return got < 0 ? -1 : 1;
}

static void give_ring(struct cx_reading *reading, struct ring *ring)
{
	uint64_t at = ring->count < ring->size ? 0 : ring->next;
	bool more = true;

	for (uint64_t i = 0; i < ring->count && more; i++) {
		struct cx_buf *line = &ring->line[(at + i) % ring->size];

		more = reading->give(line->data, line->size,
		                     reading->context);
	}
	reading->given = ring->count;
	for (uint64_t i = 0; i < ring->size; i++)
		cx_buf_done(&ring->line[i]);
	free(ring->line);
}

static int open_audit(int *ret_fd, struct cx_err *err)
{
	CX_AUTO_STATE struct cx_state state = CX_STATE_NONE;

	if (cx_state_find(&state, err) < 0)
		return err->sys == ENOENT ? 0 : -1;
	return cx_state_peek(&state, CX_STATE_AUDIT, ret_fd, err);
}

int cx_reading_run(struct cx_reading *reading, struct cx_err *err)
{
	CX_AUTO_FD int audit = -1;
	struct ring ring = { .size = reading->last };
	char **origin;
	int got = 1;

	if (open_audit(&audit, err) < 0)
		return -1;
	if (audit < 0)
		return 0;
	ring.line = cx_mem_array(ring.size, sizeof *ring.line);
	origin = cx_history_origins(audit);
	for (size_t i = 0; origin[i]; i++) {
		if (got == 1)
			got = list_log(reading, &ring, audit, origin[i], err);
		free(origin[i]);
	}
	free(origin);
	give_ring(reading, &ring);
	return got < 0 ? -1 : 0;
}
