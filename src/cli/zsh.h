/* zsh.h - a tool's completion for zsh. */
#ifndef CX_CLI_ZSH_H
#define CX_CLI_ZSH_H

#include "base/buf.h"
#include "cli/opt.h"

/* Appends the script, a #compdef function over _arguments. */
void cx_zsh_write(const struct cx_tool *tool, struct cx_buf *ret);

#endif
