/*
 * client.h - the environment of the registries' own clients: what they need to
 * find the network, and nothing else of the caller's.
 */
#ifndef CX_BUILD_CLIENT_H
#define CX_BUILD_CLIENT_H

enum { CX_CLIENT_MAX = 24 };

struct cx_client {
	const char *env[CX_CLIENT_MAX + 1]; /* NULL-ended, "NAME=value" */
	char *owned[CX_CLIENT_MAX];
	unsigned count, owned_count;
};

/* PATH, locale and time zone are ours; HOME, TMPDIR, the proxy and CA
 * variables are passed on when they are set. Borrowed from environ: free of
 * allocation until cx_client_set. */
void cx_client_start(struct cx_client *client);

/* Adds or replaces one. */
void cx_client_set(struct cx_client *client, const char *name,
                   const char *value);

void cx_client_done(struct cx_client *client);
#define CX_AUTO_CLIENT __attribute__((cleanup(cx_client_done)))

#endif
