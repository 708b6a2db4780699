/*
 * profile.h - what a command gets, as data: limits, environment, folder,
 * identity.
 *
 * The sandbox is made from this and nothing else, and its canonical JSON is
 * what profileDigest digests: two results with one digest ran alike.
 */
#ifndef CX_MODEL_PROFILE_H
#define CX_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/quota.h"
#include "model/tier.h"

enum {
	CX_PROFILE_VERSION = 2,    /* of the enumerated environment */
	CX_PROFILE_ID = 10001,     /* uid and gid inside, always */
	CX_PROFILE_ENV_MAX = 128,  /* variables, ours and the caller's */
	CX_PROFILE_VALUE_MAX_BYTES = 4096,
	CX_PROFILE_CWD_MAX_BYTES = 4095,
};

struct cx_profile {
	struct cx_quota quota;
	char *env[CX_PROFILE_ENV_MAX + 1]; /* "NAME=value", NULL-ended, owned */
	size_t env_count;
	char *cwd;              /* absolute, /workspace or below; owned */
	enum cx_tier egress;
	uint32_t uid, gid;      /* inside */
	uint64_t tmp_inodes;    /* of /tmp; its bytes are in quota */
	uint64_t shm_bytes;     /* size of /dev/shm */
	uint64_t nofile_soft, nofile_hard;
	uint64_t core_bytes;    /* 1: at 0 a piped core handler still runs */
	uint32_t umask;
	bool proc_pid;          /* /proc shows the sandbox's processes only */
};

/* The profile of quota with the enumerated environment and /workspace. */
void cx_profile_make(const struct cx_quota *quota, struct cx_profile *ret);
void cx_profile_done(struct cx_profile *profile);

/* Its tier, and with one that has a gateway the variables by which clients
 * find that: proxy variables in both cases, and the clients' own. */
void cx_profile_set_egress(struct cx_profile *profile, enum cx_tier tier);

#define CX_AUTO_PROFILE __attribute__((cleanup(cx_profile_done)))

/* [A-Za-z_][A-Za-z0-9_]* of at most 128 bytes. */
bool cx_profile_is_name(const char *name);

/* A name that is ours, a loader's, a shell's start-up or a proxy's: no
 * configuration can open it to run.env. */
bool cx_profile_is_reserved(const char *name);

/* Adds a variable, or replaces one of the same name. false when full. */
bool cx_profile_set(struct cx_profile *profile, const char *name,
                    const char *value);

/* The value of a variable, NULL when absent. */
const char *cx_profile_get(const struct cx_profile *profile, const char *name);

/* Appends the canonical JSON (RFC 8785) of the whole profile. */
void cx_profile_write(const struct cx_profile *profile, struct cx_buf *ret);

#endif
