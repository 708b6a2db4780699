/* bash.c - see bash.h. */
#include "cli/bash.h"

#include "base/str.h"

/*
 * What is the same for every tool; '~' stands for its function's name.
 * The word is taken from COMP_LINE, since bash has split COMP_WORDS at ':' and
 * '='; $2 is the end of it that bash will replace, so all before it must not
 * come again. Candidates are never expanded: they may come from a store.
 */
static const char engine[] =
"\n"
"# Adds each line of standard input that starts with $1.\n"
"~_match() {\n"
"\tlocal line\n"
"\n"
"\twhile IFS= read -r line; do\n"
"\t\t[[ $line == \"$1\"* ]] || continue\n"
"\t\tprintf -v line %q \"$line\"\n"
"\t\tCOMPREPLY+=(\"$line\")\n"
"\tdone\n"
"}\n"
"\n"
"# Candidates for the value $2 of kind $1.\n"
"~_fill() {\n"
"\tcase $1 in\n"
"\tfiles)\n"
"\t\tcompopt -o filenames\n"
"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$2\")\n"
"\t\t;;\n"
"\t'words '*) ~_match \"$2\" < <(tr ' ' '\\n' <<<\"${1#words }\") ;;\n"
"\t'lines '*) ~_match \"$2\" < <(eval \"${1#lines }\" 2>/dev/null) ;;\n"
"\tesac\n"
"}\n"
"\n"
"# The verb at the front of the words, \"\" when there is none yet.\n"
"~_verb() {\n"
"\tlocal verb\n"
"\n"
"\tfor verb in \"$1 $2\" \"$1\"; do\n"
"\t\tif grep -qxF -- \"$verb\" < <(~_verbs); then\n"
"\t\t\tprintf '%s\\n' \"$verb\"\n"
"\t\t\treturn\n"
"\t\tfi\n"
"\tdone\n"
"}\n"
"\n"
"# The candidates for the word $1 behind the words that follow.\n"
"~_candidates() {\n"
"\tlocal word=$1 verb last kind\n"
"\n"
"\tshift\n"
"\tverb=$(~_verb \"${1-}\" \"${2-}\")\n"
"\tif [[ -z $verb ]]; then\n"
"\t\tcase $# in\n"
"\t\t0) ~_match \"$word\" < <(~_verbs | cut -d' ' -f1 | sort -u\n"
"\t\t\tprintf '%s\\n' --help --version) ;;\n"
"\t\t1) ~_match \"$word\" < <(~_verbs | sed -n \"s/^$1 //p\") ;;\n"
"\t\tesac\n"
"\t\treturn\n"
"\tfi\n"
"\t[[ \" $* \" != *' -- '* ]] || return\n"
"\tlast=${*: -1}\n"
"\tkind=$(~_kind \"$verb\" \"$last\")\n"
"\tif [[ $last == -* && -n $kind ]]; then\n"
"\t\t~_fill \"$kind\" \"$word\"\n"
"\telif [[ $word == --*=* ]]; then\n"
"\t\t~_fill \"$(~_kind \"$verb\" \"${word%%=*}\")\" \"${word#*=}\"\n"
"\t\tCOMPREPLY=(\"${COMPREPLY[@]/#/\"${word%%=*}=\"}\")\n"
"\telif [[ $word == -* ]]; then\n"
"\t\t~_match \"$word\" < <(~_options \"$verb\" | tr ' ' '\\n')\n"
"\telse\n"
"\t\t~_fill \"$(~_kind \"$verb\" '')\" \"$word\"\n"
"\tfi\n"
"}\n"
"\n"
"~() {\n"
"\tlocal line=${COMP_LINE:0:COMP_POINT} lead word\n"
"\tlocal -a words\n"
"\n"
"\tread -ra words <<<\"$line\"\n"
"\t[[ $line == *[[:blank:]] ]] && words+=('')\n"
"\tword=${words[-1]}\n"
"\tunset 'words[-1]'\n"
"\tCOMPREPLY=()\n"
"\t~_candidates \"$word\" \"${words[@]:1}\"\n"
"\tlead=${word%\"$2\"}\n"
"\t[[ -z $lead || $lead == \"$word\" && -n $2 ]] ||\n"
"\t\tCOMPREPLY=(\"${COMPREPLY[@]#\"$lead\"}\")\n"
"}\n"
"\n";

/* "_cx_seal": the tool's name as a shell function's. */
static void function(const struct cx_tool *tool, struct cx_buf *ret)
{
	cx_buf_byte(ret, '_');
	for (const char *at = tool->name; *at; at++)
		cx_buf_byte(ret, *at == '-' ? '_' : *at);
}

static void verbs(const struct cx_tool *tool, struct cx_buf *ret)
{
	cx_buf_byte(ret, '\n');
	function(tool, ret);
	cx_buf_text(ret, "_verbs() {\n\tprintf '%s\\n'");
	for (size_t i = 0; i < tool->cmd_count; i++)
		cx_buf_print(ret, " \\\n\t\t'%s'", tool->cmd[i].name);
	cx_buf_text(ret, "\n}\n");
}

static void options(const struct cx_tool *tool, struct cx_buf *ret)
{
	cx_buf_text(ret, "\n# The options of verb $1.\n");
	function(tool, ret);
	cx_buf_text(ret, "_options() {\n\tcase $1 in\n");
	for (size_t i = 0; i < tool->cmd_count; i++) {
		const struct cx_cmd *cmd = &tool->cmd[i];

		cx_buf_print(ret, "\t'%s') echo '--help", cmd->name);
		if (cmd->reads || cmd->writes)
			cx_buf_text(ret, " --schema");
		for (size_t k = 0; k < cmd->opt_count; k++)
			if (!cmd->opt[k].hidden)
				cx_buf_print(ret, " --%s", cmd->opt[k].name);
		cx_buf_text(ret, "' ;;\n");
	}
	cx_buf_text(ret, "\tesac\n}\n");
}

static void kind_of(const struct cx_opt *opt, struct cx_buf *ret)
{
	if (opt->from) {
		cx_buf_print(ret, "lines %s", opt->from);
	} else if (opt->word) {
		cx_buf_text(ret, "words");
		for (size_t i = 0; opt->word[i]; i++)
			cx_buf_print(ret, " %s", opt->word[i]);
	} else if (opt->kind == CX_OPT_PATH || opt->kind == CX_OPT_FILES) {
		cx_buf_text(ret, "files");
	} else {
		cx_buf_text(ret, "any");
	}
}

static void kinds_of(const struct cx_cmd *cmd, struct cx_buf *ret)
{
	for (size_t k = 0; k < cmd->opt_count; k++) {
		const struct cx_opt *opt = &cmd->opt[k];

		if (opt->hidden || opt->kind == CX_OPT_FLAG)
			continue;
		cx_buf_print(ret, "\t'%s --%s'", cmd->name, opt->name);
		if (opt->letter)
			cx_buf_print(ret, " | '%s -%c'", cmd->name,
			             opt->letter);
		cx_buf_text(ret, ") echo '");
		kind_of(opt, ret);
		cx_buf_text(ret, "' ;;\n");
	}
	if (cmd->operands_from)
		cx_buf_print(ret, "\t'%s ') echo '%s%s' ;;\n", cmd->name,
		             *cmd->operands_from ? "lines " : "files",
		             cmd->operands_from);
}

static void kinds(const struct cx_tool *tool, struct cx_buf *ret)
{
	cx_buf_text(ret, "\n# How the value of option $2 of verb $1 completes; "
	            "nothing for a flag.\n");
	function(tool, ret);
	cx_buf_text(ret, "_kind() {\n\tcase \"$1 $2\" in\n");
	for (size_t i = 0; i < tool->cmd_count; i++)
		kinds_of(&tool->cmd[i], ret);
	cx_buf_text(ret, "\tesac\n}\n");
}

void cx_bash_write(const struct cx_tool *tool, struct cx_buf *ret)
{
	cx_buf_print(ret, "# bash completion for %s, made from its option "
	             "tables by make docs.\n# shellcheck shell=bash\n",
	             tool->name);
	verbs(tool, ret);
	options(tool, ret);
	kinds(tool, ret);
	for (const char *at = engine; *at; at++) {
		if (*at == '~')
			function(tool, ret);
		else
			cx_buf_byte(ret, *at);
	}
	cx_buf_text(ret, "complete -F ");
	function(tool, ret);
	cx_buf_print(ret, " %s\n", tool->name);
}
