/*
 * original.h - where a redirected connection was meant to go.
 */
#ifndef CX_GATEWAY_ORIGINAL_H
#define CX_GATEWAY_ORIGINAL_H

#include <stdbool.h>
#include <sys/socket.h>

/* The address and port that the program inside connected to, read from the
 * accepted connection: by SO_ORIGINAL_DST (redirected), or the socket's own
 * name (a listener for one port). 0 or -1, errno: then it is refused. */
int cx_original_read(int fd, bool redirected, struct sockaddr_storage *ret);

/* Closes fd with a reset, so that the other end knows at once. */
void cx_original_refuse(int fd);

#endif
