/*
 * section.h - the run section of a document: what is to be run.
 *
 * Everything in it was written by who asks, perhaps by a model: it is checked
 * against a closed shape, it can lower limits and never raise one, and it
 * names no path outside of /workspace.
 */
#ifndef CX_RUN_SECTION_H
#define CX_RUN_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "data/json.h"
#include "data/shape.h"
#include "model/profile.h"

enum {
	CX_SECTION_COMMANDS_MAX = 64,
	CX_SECTION_TEXT_MAX_BYTES = 8 * 1024 * 1024,
	CX_SECTION_ARG_MAX_BYTES = 128 * 1024 - 1, /* the kernel's own */
	CX_SECTION_ARGS_MAX_BYTES = 1024 * 1024,   /* all together */
	CX_SECTION_ARGS_MAX = 4096,
};

/* Texts are borrowed from the document, or from the command line. */
struct cx_section {
	const char *command[CX_SECTION_COMMANDS_MAX]; /* command, commands */
	size_t command_count;
	bool is_list;           /* commands: results, not result */
	bool keep_going;
	const char **argv;      /* NULL-ended, owned; or NULL */
	char *cwd;              /* absolute, owned */
	const json_t *env;      /* borrowed, or NULL */
	struct cx_buf input;    /* standard input */
	bool has_input;
	uint64_t timeout_ms;    /* 0: as configured */
	uint64_t output_bytes;  /* 0: as configured */
};

/* The members of the section. */
extern const struct cx_shape cx_section_member[];

/* Reads the section (NULL: absent, which is empty). What is to be run may
 * stand on the command line instead, so none of it is required here. */
int cx_section_read(const json_t *section, struct cx_section *ret,
                    struct cx_err *err);

/* There is exactly one of command, argv and commands. */
int cx_section_require(const struct cx_section *section, struct cx_err *err);

/* The command line's words, in place of the section's. */
void cx_section_set_argv(struct cx_section *section, char *const *argv);
void cx_section_set_command(struct cx_section *section, const char *command);

/* Puts cwd, environment and lowered limits into the profile. allowed holds
 * the names of limits.env_names. */
int cx_section_apply(const struct cx_section *section,
                     const char *const *allowed, size_t allowed_count,
                     struct cx_profile *profile, struct cx_err *err);

void cx_section_done(struct cx_section *section);

#define CX_AUTO_SECTION __attribute__((cleanup(cx_section_done)))

#endif
