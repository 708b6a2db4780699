/* bash.h - a tool's completion for bash. */
#ifndef CX_CLI_BASH_H
#define CX_CLI_BASH_H

#include "base/buf.h"
#include "cli/opt.h"

/*
 * Appends the script. It reads the line itself and cuts off what bash counts
 * as typed already, so values that hold ':' or '=' complete whatever
 * COMP_WORDBREAKS says, and it is never changed.
 */
void cx_bash_write(const struct cx_tool *tool, struct cx_buf *ret);

#endif
