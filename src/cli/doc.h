/*
 * doc.h - everything that is said about a tool, made from its tables.
 *
 * The same tables that parse a command line (cli/opt.h) write --help, the
 * generated sections of the man page, both completions and the JSON Schema,
 * so they can't differ from what the tool does. All functions append to *ret.
 */
#ifndef CX_CLI_DOC_H
#define CX_CLI_DOC_H

#include <stdbool.h>

#include "base/buf.h"
#include "cli/opt.h"

/* --help for a person: of one verb, or of the tool where cmd is NULL. Lines
 * of at most 80 columns. */
void cx_doc_help(const struct cx_tool *tool, const struct cx_cmd *cmd,
                 struct cx_buf *ret);

/* --schema: one JSON Schema (draft 2020-12), indented, with $defs "reads" and
 * "writes" for what the verb reads and writes, and "tells" for lines that
 * come before that. */
void cx_doc_schema(const struct cx_tool *tool, const struct cx_cmd *cmd,
                   struct cx_buf *ret);

/*
 * The hidden flags, only looked for as the first argument of a tool:
 *   --cx-mdoc     the generated sections of its man page, between markers
 *   --cx-bash     its completion for bash, --cx-zsh for zsh
 *   --cx-schemas  a line for each verb that has a schema: the file's name
 *                 below share/schema, a TAB, the schema on one line
 * False, and nothing appended, when flag is none of them.
 */
bool cx_doc_hidden(const struct cx_tool *tool, const char *flag,
                   struct cx_buf *ret);

#endif
