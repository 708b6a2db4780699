/*
 * toll.h - bytes that a job has passed in all its commands, for gateways that
 * may each see only one of them.
 *
 * A file of eight bytes beside the job's workspace, out of the sandbox's
 * reach, mapped by every gateway that serves the job at the time. What a
 * gateway may pass it takes from the toll before, in pieces, and gives back
 * what it didn't use: so the sum never exceeds the ceiling, however many
 * there are, and what a killed one had taken counts as passed.
 */
#ifndef CX_PLANE_TOLL_H
#define CX_PLANE_TOLL_H

#include <stdint.h>

#include "base/err.h"

/* Opens the toll of the folder, made with 0 when it isn't there. */
int cx_toll_open(int folder_fd, int *ret_fd, struct cx_err *err);

/* Maps it; NULL: it is none. The descriptor stays the caller's. */
uint64_t *cx_toll_map(int fd);
void cx_toll_unmap(uint64_t *toll);

/* Takes as many of wish as max leaves; how many. */
uint64_t cx_toll_take(uint64_t *toll, uint64_t max, uint64_t wish);
void cx_toll_give(uint64_t *toll, uint64_t bytes);

#endif
