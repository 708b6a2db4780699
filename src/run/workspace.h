/*
 * workspace.h - the operator's verbs on one workspace: export, import, rm.
 *
 * They need no carrier: who owns the state folder is the operator.
 */
#ifndef CX_RUN_WORKSPACE_H
#define CX_RUN_WORKSPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "data/json.h"
#include "data/shape.h"
#include "run/broker.h"
#include "store/volume.h"

extern const struct cx_shape cx_workspace_files_shape;

/* Which workspace: org and exactly one of run, job and name; user for a new
 * one. */
struct cx_workspace_words {
	const char *org, *user, *run, *job, *name;
	int64_t wait_ms;  /* for its turn there; store/turn.h */
};

/* Opens it under a turn; with make, one that has a name is made when it isn't
 * there. CX_E_USAGE when words don't name one. */
int cx_workspace_find(struct cx_broker *broker,
                      const struct cx_workspace_words *words,
                      enum cx_turn_mode mode, bool make,
                      struct cx_volume *ret, struct cx_err *err);

/* Writes the workspace as tar to out_fd: {files: [...], truncated?}, unless
 * ret_doc is NULL. */
int cx_workspace_export(struct cx_broker *broker,
                        const struct cx_workspace_words *words, int out_fd,
                        json_t **ret_doc, struct cx_err *err);

/* The same to the file path, which gets its name when it is whole. */
int cx_workspace_export_file(struct cx_broker *broker,
                             const struct cx_workspace_words *words,
                             const char *path, json_t **ret_doc,
                             struct cx_err *err);

/* Reads tar from in_fd into a workspace that is there; one with a name is made
 * when it isn't. */
int cx_workspace_import(struct cx_broker *broker,
                        const struct cx_workspace_words *words, int in_fd,
                        json_t **ret_doc, struct cx_err *err);

/* Removes one; *ret_waits: as soon as its command has ended. */
int cx_workspace_rm(struct cx_broker *broker,
                    const struct cx_workspace_words *words, bool *ret_waits,
                    struct cx_err *err);

#endif
