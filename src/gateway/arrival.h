/*
 * arrival.h - what a redirected connection asks for: the name whose alias it
 * went to, or the address itself.
 *
 * A connection that went to an alias is a request for the name at that port,
 * as CONNECT name:port would be; one to any other address is a request for
 * the literal. What is asked is judged by cx_decide_known.
 */
#ifndef CX_GATEWAY_ARRIVAL_H
#define CX_GATEWAY_ARRIVAL_H

#include <stdbool.h>

#include "gateway/alias.h"
#include "model/decide.h"

/* fd was accepted from a listener of a job (redirected: CX_PORTAL_ANY by
 * nf_tables). 0 or -1: where it was meant to go isn't known, and it is
 * refused. */
int cx_arrival_read(int fd, bool redirected, struct cx_alias_book *book,
                    struct cx_target *ret);

/* The same of an address that is known. */
int cx_arrival_name(const struct sockaddr_storage *address,
                    struct cx_alias_book *book, struct cx_target *ret);

#endif
