/*
 * logsite.h - where the operator's log of destinations may stand: egress.log.
 *
 * Its lines say who reached what, so they are kept apart from all that cx
 * records: never in the state folder, by whatever link, and in a folder that
 * nobody else can put a file into.
 */
#ifndef CX_PLANE_LOGSITE_H
#define CX_PLANE_LOGSITE_H

#include <limits.h>

#include "plane/config.h"

struct cx_logsite {
	int folder_fd;            /* O_PATH; owned; -1: there is no log */
	char name[NAME_MAX + 1];  /* of the file in it */
	uint64_t max_bytes, keep;
};

#define CX_LOGSITE_NONE ((struct cx_logsite){ .folder_fd = -1 })

/* The configuration's. A folder that isn't there, belongs to another user, can
 * be written by others, or is the state folder or below it, is config_invalid
 * at /egress/log/path. */
int cx_logsite_open(const struct cx_config *config, struct cx_logsite *ret,
                    struct cx_err *err);
void cx_logsite_done(struct cx_logsite *site);

#define CX_AUTO_LOGSITE __attribute__((cleanup(cx_logsite_done)))

#endif
