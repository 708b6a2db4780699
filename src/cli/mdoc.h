/* mdoc.h - the generated sections of a tool's man page. */
#ifndef CX_CLI_MDOC_H
#define CX_CLI_MDOC_H

#include "base/buf.h"
#include "cli/opt.h"

/*
 * Appends the sections NAME, SYNOPSIS, COMMANDS, OPTIONS and EXIT STATUS in
 * mdoc(7), each between the lines  .\" made from tables: SECTION  and
 * .\" end of SECTION  by which make docs finds where they go.
 */
void cx_mdoc_write(const struct cx_tool *tool, struct cx_buf *ret);

#endif
