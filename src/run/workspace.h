/*
 * workspace.h - the operator's verbs on workspaces: list, export, import, rm,
 * gc.
 *
 * They need no carrier: who owns the state folder is the operator.
 */
#ifndef CX_RUN_WORKSPACE_H
#define CX_RUN_WORKSPACE_H

#include <stdbool.h>

#include "data/json.h"
#include "data/shape.h"
#include "run/broker.h"

extern const struct cx_shape cx_workspace_list_shape;
extern const struct cx_shape cx_workspace_files_shape;
extern const struct cx_shape cx_workspace_gone_shape;

/* Which workspace: org and exactly one of run and job; user for a new one. */
struct cx_workspace_words {
	const char *org, *user, *run, *job;
};

/* {workspaces: [{orgId, userId, runId or jobId, state, busy, kib, inodes,
 * madeAt, usedAt}]}, of one organization or (org NULL) all. */
int cx_workspace_list(struct cx_broker *broker, const char *org,
                      json_t **ret_doc, struct cx_err *err);

/* Writes the workspace as tar to out_fd: {files: [...]}. */
int cx_workspace_export(struct cx_broker *broker,
                        const struct cx_workspace_words *words, int out_fd,
                        json_t **ret_doc, struct cx_err *err);

/* The same to the file path, which gets its name when it is whole. */
int cx_workspace_export_file(struct cx_broker *broker,
                             const struct cx_workspace_words *words,
                             const char *path, json_t **ret_doc,
                             struct cx_err *err);

/* Reads tar from in_fd into a workspace that is there. */
int cx_workspace_import(struct cx_broker *broker,
                        const struct cx_workspace_words *words, int in_fd,
                        json_t **ret_doc, struct cx_err *err);

/* Removes one; *ret_waits: as soon as its command has ended. */
int cx_workspace_rm(struct cx_broker *broker,
                    const struct cx_workspace_words *words, bool *ret_waits,
                    struct cx_err *err);

/*
 * Collects what nobody will use again: workspaces of ended or unknown runs and
 * jobs, of dead launchers, half-made ones; with unused_s, those that weren't
 * used for so long as well. Never one that is in use. {removed: [...],
 * kept: n}.
 */
int cx_workspace_gc(struct cx_broker *broker, int64_t unused_s, bool dry_run,
                    json_t **ret_doc, struct cx_err *err);

#endif
