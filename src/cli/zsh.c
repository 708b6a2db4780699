/* zsh.c - see zsh.h. */
#include "cli/zsh.h"

#include "base/str.h"

/* Text inside single quotes and a bracketed explanation. */
static void quoted(const char *text, struct cx_buf *ret)
{
	for (; *text; text++) {
		if (*text == '\'')
			cx_buf_text(ret, "'\\'");
		else if (strchr("[]:\\", *text))
			cx_buf_byte(ret, '\\');
		cx_buf_byte(ret, *text);
	}
}

/* How values from shell words, files or a list complete. */
static void action(const struct cx_opt *opt, struct cx_buf *ret)
{
	if (opt->from) {
		cx_buf_text(ret, "{compadd -- ${(f)\"$(");
		quoted(opt->from, ret);
		cx_buf_text(ret, " 2>/dev/null)\"}}");
	} else if (opt->word) {
		cx_buf_byte(ret, '(');
		for (size_t i = 0; opt->word[i]; i++)
			cx_buf_print(ret, "%s%s", i ? " " : "", opt->word[i]);
		cx_buf_byte(ret, ')');
	} else if (opt->kind == CX_OPT_PATH || opt->kind == CX_OPT_FILES) {
		cx_buf_text(ret, "_files");
	} else {
		cx_buf_byte(ret, ' ');
	}
}

/* One spelling (-f or --file) of an option as an _arguments specification. */
static void spelling(const struct cx_opt *opt, bool letter, struct cx_buf *ret)
{
	bool many = opt->kind == CX_OPT_LIST || opt->kind == CX_OPT_FILES;

	cx_buf_text(ret, " \\\n\t\t\t'");
	if (many)
		cx_buf_byte(ret, '*');
	else if (opt->letter)
		cx_buf_print(ret, "(-%c --%s)", opt->letter, opt->name);
	if (letter)
		cx_buf_print(ret, "-%c%s", opt->letter, opt->value ? "+" : "");
	else
		cx_buf_print(ret, "--%s%s", opt->name, opt->value ? "=" : "");
	cx_buf_byte(ret, '[');
	quoted(opt->about, ret);
	cx_buf_byte(ret, ']');
	if (opt->value) {
		cx_buf_print(ret, ":%s:", opt->value);
		action(opt, ret);
	}
	cx_buf_byte(ret, '\'');
}

static void verb(const struct cx_cmd *cmd, struct cx_buf *ret)
{
	cx_buf_print(ret, "\t'%s')\n\t\t_arguments -s -S : \\\n"
	             "\t\t\t'(- *)--help[Print help]'", cmd->name);
	if (cmd->reads || cmd->writes)
		cx_buf_text(ret, " \\\n\t\t\t'(- *)--schema[Print the JSON "
		            "Schema]'");
	for (size_t k = 0; k < cmd->opt_count; k++) {
		const struct cx_opt *opt = &cmd->opt[k];

		if (opt->hidden)
			continue;
		if (opt->letter)
			spelling(opt, true, ret);
		spelling(opt, false, ret);
	}
	if (cmd->operands_from) {
		const struct cx_opt operand = {
			.kind = CX_OPT_PATH,
			.from = *cmd->operands_from ? cmd->operands_from : NULL,
		};

		cx_buf_text(ret, " \\\n\t\t\t'*:operand:");
		action(&operand, ret);
		cx_buf_byte(ret, '\'');
	}
	cx_buf_text(ret, "\n\t\t;;\n");
}

/* "name:about" of each verb whose first word is not, or is, first. */
static void describe(const struct cx_tool *tool, const char *first,
                     struct cx_buf *ret)
{
	size_t length = first ? strlen(first) + 1 : 0;

	for (size_t i = 0; i < tool->cmd_count; i++) {
		const struct cx_cmd *cmd = &tool->cmd[i];

		if (first ? !(cx_str_starts(cmd->name, first) &&
		              cmd->name[length - 1] == ' ')
		          : strchr(cmd->name, ' ') != NULL)
			continue;
		cx_buf_print(ret, " \\\n\t\t\t'%s:", cmd->name + length);
		quoted(cmd->about, ret);
		cx_buf_byte(ret, '\'');
	}
}

/* Whether verb at is the first of those that share its first word. */
static bool opens_group(const struct cx_tool *tool, size_t at, char *ret_word,
                        size_t room)
{
	const char *name = tool->cmd[at].name;
	size_t length = strcspn(name, " ");

	if (!name[length] || length >= room)
		return false;
	for (size_t i = 0; i < at; i++)
		if (strncmp(tool->cmd[i].name, name, length + 1) == 0)
			return false;
	memcpy(ret_word, name, length);
	ret_word[length] = '\0';
	return true;
}

static void groups(const struct cx_tool *tool, struct cx_buf *ret)
{
	char word[32];

	for (size_t i = 0; i < tool->cmd_count; i++) {
		if (!opens_group(tool, i, word, sizeof word))
			continue;
		cx_buf_print(ret, "\tif (( CURRENT == 3 )) && "
		             "[[ $words[2] == %s ]]; then\n\t\tverbs=(", word);
		describe(tool, word, ret);
		cx_buf_text(ret, ")\n\t\t_describe verb verbs\n\t\treturn\n"
		            "\tfi\n");
	}
}

/* The first word of two-word verbs, at the first place. */
static void heads(const struct cx_tool *tool, struct cx_buf *ret)
{
	char word[32];

	for (size_t i = 0; i < tool->cmd_count; i++)
		if (opens_group(tool, i, word, sizeof word))
			cx_buf_print(ret, " \\\n\t\t\t'%s:verbs of its own'",
			             word);
}

void cx_zsh_write(const struct cx_tool *tool, struct cx_buf *ret)
{
	cx_buf_print(ret, "#compdef %s\n# Made from the option tables of %s by "
	             "make docs.\n\n_%s() {\n\tlocal -a verbs\n"
	             "\tlocal verb=$words[2]\n\n"
	             "\tif (( CURRENT == 2 )); then\n\t\tverbs=(",
	             tool->name, tool->name, tool->name);
	describe(tool, NULL, ret);
	heads(tool, ret);
	cx_buf_text(ret, ")\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n");
	groups(tool, ret);
	cx_buf_text(ret, "\tshift words\n\t(( CURRENT-- ))\n"
	            "\tcase \"$verb $words[2]\" in\n");
	for (size_t i = 0; i < tool->cmd_count; i++)
		if (strchr(tool->cmd[i].name, ' '))
			cx_buf_print(ret, "\t'%s')\n\t\tverb+=\" $words[2]\"\n"
			             "\t\tshift words\n\t\t(( CURRENT-- ))\n"
			             "\t\t;;\n", tool->cmd[i].name);
	cx_buf_text(ret, "\tesac\n\tcase $verb in\n");
	for (size_t i = 0; i < tool->cmd_count; i++)
		verb(&tool->cmd[i], ret);
	cx_buf_print(ret, "\tesac\n}\n\n_%s \"$@\"\n", tool->name);
}
