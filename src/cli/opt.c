/* opt.c - see opt.h. */
#include "cli/opt.h"

#include <getopt.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

enum {
	CODE_HELP = 1000, /* beyond every letter; options follow */
	CODE_VERSION,
	CODE_SCHEMA,
	CODE_FIRST,
	OPTION_MAX = 64,
};

static const struct cx_cmd *find(const struct cx_tool *tool, const char *verb)
{
	for (size_t i = 0; i < tool->cmd_count; i++)
		if (cx_str_same(tool->cmd[i].name, verb))
			return &tool->cmd[i];
	return NULL;
}

/* The verb of one or two words at argv[1]; its length in *ret_words. */
static const struct cx_cmd *find_verb(const struct cx_tool *tool, int argc,
                                      char **argv, int *ret_words)
{
	const struct cx_cmd *cmd = NULL;

	*ret_words = 1;
	if (argc > 2) {
		CX_AUTO_FREE char *two = cx_mem_print("%s %s", argv[1],
		                                      argv[2]);

		cmd = find(tool, two);
		if (cmd)
			*ret_words = 2;
	}
	return cmd ? cmd : find(tool, argv[1]);
}

static void list_verbs(const struct cx_tool *tool, const char *first,
                       struct cx_buf *text)
{
	size_t length = strlen(first);

	for (size_t i = 0; i < tool->cmd_count; i++) {
		const char *name = tool->cmd[i].name;

		if (length && !(cx_str_starts(name, first) &&
		                name[length] == ' '))
			continue;
		if (text->size)
			cx_buf_text(text, ", ");
		cx_buf_text(text, name);
	}
}

/* "key --help": the first word of several verbs, and a wish for help. */
static bool asks_for_group(const struct cx_tool *tool, int argc, char **argv)
{
	CX_AUTO_BUF struct cx_buf verbs = { 0 };

	if (argc != 3 || !(cx_str_same(argv[2], "--help") ||
	                   cx_str_same(argv[2], "-h")))
		return false;
	list_verbs(tool, argv[1], &verbs);
	return verbs.size > 0;
}

static int no_verb(const struct cx_tool *tool, const char *word,
                   struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf verbs = { 0 };

	if (*word)
		list_verbs(tool, word, &verbs);
	if (verbs.size)
		return cx_err_set(err, CX_E_USAGE,
		                  "%s %s: which one? There are %s", tool->name,
		                  word, verbs.data);
	list_verbs(tool, "", &verbs);
	if (!*word)
		return cx_err_set(err, CX_E_USAGE,
		                  "no verb; there are %s; see %s --help",
		                  verbs.data, tool->name);
	return cx_err_set(err, CX_E_USAGE, "no verb '%.40s'; there are %s",
	                  word, verbs.data);
}

static int take_word(const struct cx_opt *opt, const char *value,
                     struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf words = { 0 };

	for (size_t i = 0; opt->word[i]; i++) {
		if (cx_str_same(opt->word[i], value))
			return 0;
		cx_buf_print(&words, "%s%s", i ? ", " : "", opt->word[i]);
	}
	return cx_err_set(err, CX_E_USAGE, "--%s '%.60s': it is one of %s",
	                  opt->name, value, words.data);
}

static int take_list(const struct cx_opt *opt, const char *value,
                     struct cx_list *list, struct cx_err *err)
{
	if (list->count == CX_LIST_MAX)
		return cx_err_set(err, CX_E_USAGE,
		                  "--%s stands there more than %d times",
		                  opt->name, CX_LIST_MAX);
	list->item[list->count++] = value;
	return 0;
}

static int take_number(const struct cx_opt *opt, const char *value,
                       struct cx_number *number, struct cx_err *err)
{
	if (!cx_num_parse(value, opt->min, opt->max, &number->value))
		return cx_err_set(err, CX_E_USAGE,
		                  "--%s '%.60s': it is a whole number from "
		                  "%llu to %llu", opt->name, value,
		                  (unsigned long long)opt->min,
		                  (unsigned long long)opt->max);
	number->set = true;
	return 0;
}

static int take(const struct cx_opt *opt, const char *value, void *args,
                struct cx_err *err)
{
	char *at = (char *)args + opt->offset;

	if (opt->kind == CX_OPT_WORD && take_word(opt, value, err) < 0)
		return -1;
	switch (opt->kind) {
	case CX_OPT_FLAG:
		*(bool *)(void *)at = true;
		return 0;
	case CX_OPT_TEXT:
	case CX_OPT_PATH:
	case CX_OPT_WORD:
		*(const char **)(void *)at = value;
		return 0;
	case CX_OPT_NUMBER:
		return take_number(opt, value, (void *)at, err);
	case CX_OPT_LIST:
	case CX_OPT_FILES:
		return take_list(opt, value, (void *)at, err);
	}
	return 0;
}

/* Whether the verb's operands are a command, and so stand behind "--". */
static bool wants_dashes(const struct cx_cmd *cmd)
{
	return cmd->operands && strstr(cmd->operands, "-- ");
}

/* The table as getopt_long(3) wants it. */
struct getopt_table {
	struct option option[OPTION_MAX + 4];
	char letter[2 * OPTION_MAX + 8];
};

static void make_table(const struct cx_cmd *cmd, struct getopt_table *table)
{
	size_t count = 0, used = 0;

	/* no option of ours is to be taken out of a command */
	if (wants_dashes(cmd))
		table->letter[used++] = '+';
	table->letter[used++] = ':';
	for (size_t i = 0; i < cmd->opt_count && i < OPTION_MAX; i++) {
		const struct cx_opt *opt = &cmd->opt[i];
		bool valued = opt->kind != CX_OPT_FLAG;

		table->option[count++] = (struct option){
			opt->name, valued, NULL, CODE_FIRST + (int)i };
		if (opt->letter) {
			table->letter[used++] = opt->letter;
			if (valued)
				table->letter[used++] = ':';
		}
	}
	table->letter[used++] = 'h';
	table->letter[used] = '\0';
	table->option[count++] = (struct option){
		"help", 0, NULL, CODE_HELP };
	table->option[count++] = (struct option){
		"version", 0, NULL, CODE_VERSION };
	table->option[count++] = (struct option){
		"schema", 0, NULL, CODE_SCHEMA };
	table->option[count] = (struct option){ NULL, 0, NULL, 0 };
}

static const struct cx_opt *option_of(const struct cx_cmd *cmd, int code)
{
	if (code >= CODE_FIRST)
		return &cmd->opt[code - CODE_FIRST];
	for (size_t i = 0; i < cmd->opt_count; i++)
		if (cmd->opt[i].letter == code)
			return &cmd->opt[i];
	return NULL;
}

/* "; there is --exit-status" for a word that begins one; else nothing. */
static void suggest(const struct getopt_table *table, const char *word,
                    struct cx_buf *ret)
{
	size_t length = strcspn(word, "=");

	if (!cx_str_starts(word, "--") || length < 3)
		return;
	for (const struct option *one = table->option; one->name; one++)
		if (strncmp(one->name, word + 2, length - 2) == 0)
			cx_buf_print(ret, "%s --%s", ret->size ? ","
			             : "; there is", one->name);
}

/*
 * getopt_long(3) takes a beginning for the whole name, and a script that has
 * one would change its meaning, or break, with the next option that begins
 * so.
 */
static bool is_whole(const struct getopt_table *table, const char *word)
{
	size_t length = strcspn(word, "=");

	for (const struct option *one = table->option; one->name; one++)
		if (strlen(one->name) + 2 == length &&
		    strncmp(one->name, word + 2, length - 2) == 0)
			return true;
	return false;
}

static int no_option(const struct cx_cli *cli, const struct getopt_table *table,
                     const char *word, struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf near = { 0 };

	suggest(table, word, &near);
	return cx_err_set(err, CX_E_USAGE, "no option %.60s%s; see %s %s "
	                  "--help", word, near.data ? near.data : "",
	                  cli->tool->name, cli->cmd->name);
}

/*
 * What getopt_long(3) stumbled over: optopt is a letter, or the code of a long
 * option that was given a value which it doesn't take, or 0 for a long option
 * that isn't there.
 */
static int wrong_option(const struct cx_cli *cli,
                        const struct getopt_table *table, int code,
                        const char *word, struct cx_err *err)
{
	char letter[3] = { '-', (char)optopt, '\0' };
	bool is_letter = optopt > ' ' && optopt < 0x7f;

	if (optopt >= CODE_HELP && !is_whole(table, word))
		return no_option(cli, table, word, err);
	if (code == ':')
		return cx_err_set(err, CX_E_USAGE, "%.60s: its value is "
		                  "missing; see %s %s --help", word,
		                  cli->tool->name, cli->cmd->name);
	if (optopt >= CODE_HELP)
		return cx_err_set(err, CX_E_USAGE, "%.60s: this option takes "
		                  "no value; see %s %s --help", word,
		                  cli->tool->name, cli->cmd->name);
	return no_option(cli, table, is_letter ? letter : word, err);
}

/* One option that getopt_long(3) found; index is -1 for a letter. */
static int read_option(const struct getopt_table *table, int code, int index,
                       char **argv, struct cx_opt_found *found,
                       struct cx_err *err)
{
	const struct cx_opt *opt = option_of(found->cmd, code);
	const char *word;

	if (code == '?' || code == ':')
		return wrong_option(&found->cli, table, code, argv[optind - 1],
		                    err);
	/* its word is the last that was read, or stands before its value */
	word = argv[optind - (optarg == argv[optind - 1] ? 2 : 1)];
	if (index >= 0 && !is_whole(table, word))
		return no_option(&found->cli, table, word, err);
	found->help |= !opt && (code == CODE_HELP || code == 'h');
	found->version |= code == CODE_VERSION;
	found->schema |= code == CODE_SCHEMA;
	return opt ? take(opt, optarg, found->args, err) : 0;
}

/* To the end also behind a fault, which is the first: what is said otherwise
 * may decide how it is told. */
static int read_options(const struct cx_cmd *cmd, int argc, char **argv,
                        struct cx_opt_found *found, struct cx_err *err)
{
	struct getopt_table table;
	struct cx_err unheard;
	int code, index = -1, last = 1, done = 0;

	make_table(cmd, &table);
	optind = 0;
	opterr = 0;
	while ((code = getopt_long(argc, argv, table.letter, table.option,
	                           &index)) != -1) {
		if (read_option(&table, code, index, argv, found,
		                done < 0 ? &unheard : err) < 0)
			done = -1;
		index = -1;
		last = optind;
	}
	found->cli.dashes = optind > last &&
	                    cx_str_same(argv[optind - 1], "--");
	found->cli.rest = argv + optind;
	found->cli.rest_count = (size_t)(argc - optind);
	return done;
}

/* What a word that stands there for nothing was meant to be. */
static void guess(const struct cx_cmd *cmd, const char *word,
                  struct cx_buf *ret)
{
	for (size_t i = 0; i < cmd->opt_count; i++) {
		const char *name = cmd->opt[i].name;

		if (cx_str_same(name, "workspace") ||
		    cx_str_same(name, "file")) {
			cx_buf_print(ret, "; did you mean --%s %.60s?", name,
			             word);
			return;
		}
	}
}

static int too_many(const struct cx_cmd *cmd, const char *word,
                    struct cx_err *err)
{
	CX_AUTO_BUF struct cx_buf meant = { 0 };

	if (cmd->operands_max == 0)
		guess(cmd, word, &meant);
	return cx_err_set(err, CX_E_USAGE, "%s: one word too many: '%.60s'; "
	                  "it takes %s%s", cmd->name, word, cmd->operands
	                  ? cmd->operands : "no operand",
	                  meant.data ? meant.data : "");
}

static int check_operands(const struct cx_cmd *cmd, const struct cx_cli *cli,
                          struct cx_err *err)
{
	if (cli->rest_count && wants_dashes(cmd) && !cli->dashes)
		return cx_err_set(err, CX_E_USAGE, "put -- before the command: "
		                  "%s %s -- %.60s", cli->tool->name, cmd->name,
		                  cli->rest[0]);
	if (cli->rest_count < cmd->operands_min)
		return cx_err_set(err, CX_E_USAGE, "%s: %s is missing",
		                  cmd->name, cmd->operands);
	if (cli->rest_count > cmd->operands_max)
		return too_many(cmd, cli->rest[cmd->operands_max], err);
	return 0;
}

int cx_opt_parse(const struct cx_tool *tool, int argc, char **argv,
                 struct cx_opt_found *ret, struct cx_err *err)
{
	int words;

	*ret = (struct cx_opt_found){ .cli = { .tool = tool } };
	if (argc < 2)
		return no_verb(tool, "", err);
	ret->help = cx_str_same(argv[1], "--help") ||
	            cx_str_same(argv[1], "-h") || cx_str_same(argv[1], "help");
	ret->version = cx_str_same(argv[1], "--version");
	if (ret->help || ret->version)
		return 0;
	ret->cmd = find_verb(tool, argc, argv, &words);
	if (!ret->cmd && asks_for_group(tool, argc, argv)) {
		ret->help = true; /* the tool's, which lists them */
		return 0;
	}
	if (!ret->cmd)
		return no_verb(tool, argv[1], err);
	ret->cli.cmd = ret->cmd;
	ret->args = cx_mem_new(ret->cmd->args_size);
	if (read_options(ret->cmd, argc - words, argv + words, ret, err) < 0)
		return -1;
	if (ret->help || ret->version || ret->schema)
		return 0;
	return check_operands(ret->cmd, &ret->cli, err);
}
