/*
 * opt.h - command lines as tables.
 *
 * A tool is a table of verbs, a verb a table of options; parsing, --help, the
 * man pages' SYNOPSIS and OPTIONS and both completions come from them.
 */
#ifndef CX_CLI_OPT_H
#define CX_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/count.h"
#include "base/err.h"
#include "data/shape.h"

enum cx_opt_kind {
	CX_OPT_FLAG,   /* bool */
	CX_OPT_TEXT,   /* const char * */
	CX_OPT_PATH,   /* const char *, completed as a file */
	CX_OPT_NUMBER, /* struct cx_number, min..max */
	CX_OPT_WORD,   /* const char *, one of word[] */
	CX_OPT_LIST,   /* struct cx_list, repeatable */
	CX_OPT_FILES,  /* struct cx_list of paths, repeatable */
};

struct cx_number { bool set; uint64_t value; };

enum { CX_LIST_MAX = 64 };
struct cx_list { const char *item[CX_LIST_MAX]; size_t count; };

struct cx_opt {
	enum cx_opt_kind kind;
	size_t offset;           /* into the verb's argument struct */
	const char *name;        /* long name, without dashes */
	char letter;             /* short name, 0 for none */
	const char *value;       /* NAME of the value, NULL for a flag */
	const char *about;       /* one phrase, capital letter, no full stop */
	uint64_t min, max;
	const char *const *word; /* NULL-ended */
	bool hidden;
	const char *from;        /* shell words whose lines complete it */
};

#define CX_OPT(kind_, type, member, name_, letter_, value_, about_, ...) \
	{ .kind = (kind_), .offset = offsetof(type, member), .name = (name_), \
	  .letter = (letter_), .value = (value_), .about = (about_), \
	  ##__VA_ARGS__ }
#define CX_FLAG(type, member, name, letter, about) \
	CX_OPT(CX_OPT_FLAG, type, member, name, letter, NULL, about)
#define CX_TEXT(type, member, name, letter, value, about) \
	CX_OPT(CX_OPT_TEXT, type, member, name, letter, value, about)
#define CX_PATH(type, member, name, letter, value, about) \
	CX_OPT(CX_OPT_PATH, type, member, name, letter, value, about)
#define CX_NUMBER(type, member, name, letter, value, low, high, about) \
	CX_OPT(CX_OPT_NUMBER, type, member, name, letter, value, about, \
	       .min = (low), .max = (high))
#define CX_WORD(type, member, name, letter, value, words, about) \
	CX_OPT(CX_OPT_WORD, type, member, name, letter, value, about, \
	       .word = (words))
/* Free text, for which the lines of shell words are offered. */
#define CX_TEXT_FROM(type, member, name, letter, value, words, about) \
	CX_OPT(CX_OPT_TEXT, type, member, name, letter, value, about, \
	       .from = (words))
#define CX_LIST(type, member, name, letter, value, about) \
	CX_OPT(CX_OPT_LIST, type, member, name, letter, value, about)
#define CX_FILES(type, member, name, letter, value, about) \
	CX_OPT(CX_OPT_FILES, type, member, name, letter, value, about)

struct cx_tool;

/* What a verb's function gets beside its arguments. */
struct cx_cli {
	const struct cx_tool *tool;
	const struct cx_cmd *cmd;
	char **rest;        /* operands, NULL-ended */
	size_t rest_count;
	bool dashes;        /* "--" stood before the operands */
};

struct cx_cmd {
	const char *name;           /* "mint", "key new" */
	const char *about;          /* one phrase */
	const char *operands;       /* "[-- ARGV...]", NULL for none */
	size_t operands_min, operands_max;
	const char *operands_from;  /* as cx_opt.from; "" for files */
	const struct cx_opt *opt;
	size_t opt_count;
	size_t args_size;           /* of the argument struct, zeroed */
	const struct cx_shape *reads;  /* for --schema; NULL for none */
	const struct cx_shape *writes;
	const struct cx_shape *tells; /* lines before that; or NULL */
	int (*run)(struct cx_cli *cli, void *args); /* the exit status */
	/* tells of a wrong command line, args as far as it could be read, and
	 * returns the exit status; NULL: cx_io_fail */
	int (*refuse)(struct cx_cli *cli, void *args,
	              const struct cx_err *err);
};

struct cx_tool {
	const char *name;
	const char *about;
	const struct cx_cmd *cmd;
	size_t cmd_count;
};

/* Defined by each src/tool/cx-*.c. */
extern const struct cx_tool cx_tool;

/*
 * Finds the verb (one or two words) in argv and reads its options into args
 * (which the function allocates; the caller frees). CX_E_USAGE on a fault; what
 * could be read is in *ret also then. A long option has to be spelled out.
 * *ret_help is set when --help stood there, *ret_schema for --schema; then no
 * operand count is checked. argv strings are borrowed.
 */
struct cx_opt_found {
	const struct cx_cmd *cmd; /* NULL with help: the tool's own */
	void *args;               /* owned */
	bool help, version, schema;
	struct cx_cli cli;
};
int cx_opt_parse(const struct cx_tool *tool, int argc, char **argv,
                 struct cx_opt_found *ret, struct cx_err *err);

#endif
