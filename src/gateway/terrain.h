/*
 * terrain.h - what the configuration says of addresses, for all jobs.
 */
#ifndef CX_GATEWAY_TERRAIN_H
#define CX_GATEWAY_TERRAIN_H

#include "model/decide.h"
#include "plane/config.h"

/* Everything of it stands in memory of its own: cx_terrain_done. */
struct cx_terrain_book {
	struct cx_terrain terrain;
	struct cx_upstream *upstream;
	struct cx_addr *local;
	struct cx_prefix *nat64;
};

/* The configuration's. */
int cx_terrain_load(struct cx_terrain_book *ret, struct cx_err *err);

/* A checked configuration; without a file there is nothing in it. */
void cx_terrain_make(const struct cx_config *config,
                     struct cx_terrain_book *ret);
void cx_terrain_done(struct cx_terrain_book *book);

#endif
