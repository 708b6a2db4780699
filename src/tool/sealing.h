/* sealing.h - the verbs of cx-seal between their options and its service. */
#ifndef CX_TOOL_SEALING_H
#define CX_TOOL_SEALING_H

#include "cli/io.h"
#include "seal/mint.h"

struct cx_sealing_mint {
	struct cx_io_args io;
	struct cx_mint_words words;
	bool defaults;
};

struct cx_sealing_open {
	struct cx_io_args io;
	bool raw;
	const char *use;
};

struct cx_sealing_attenuate {
	struct cx_io_args io;
	const char *expires, *egress, *image, *skills, *commands, *surface;
	struct cx_list hosts;
};

struct cx_sealing_revoke {
	struct cx_io_args io;
};

struct cx_sealing_key {
	const char *purpose, *kid;
	bool force;
};

/* The functions of the verbs' tables: given is the struct of the same name
 * (of every key verb cx_sealing_key). */
int cx_sealing_run_mint(struct cx_cli *cli, void *given);
int cx_sealing_run_open(struct cx_cli *cli, void *given);
int cx_sealing_run_attenuate(struct cx_cli *cli, void *given);
int cx_sealing_run_revoke(struct cx_cli *cli, void *given);
int cx_sealing_run_key_new(struct cx_cli *cli, void *given);
int cx_sealing_run_key_activate(struct cx_cli *cli, void *given);
int cx_sealing_run_key_list(struct cx_cli *cli, void *given);
int cx_sealing_run_key_retire(struct cx_cli *cli, void *given);

#endif
