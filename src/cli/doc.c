/* doc.c - see doc.h; help for people, schemas, and the hidden flags. */
#include "cli/doc.h"

#include "base/mem.h"
#include "base/str.h"
#include "cli/bash.h"
#include "cli/mdoc.h"
#include "cli/zsh.h"
#include "data/schema.h"

enum { LINE = 79, VERB_COLUMN = 22, OPTION_COLUMN = 26 };

/* text in lines of at most LINE columns, the first going on at column used,
 * all others at indent. */
static void fold(const char *text, size_t used, size_t indent,
                 struct cx_buf *ret)
{
	bool first = true;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (!first && used + 1 + word > LINE) {
			cx_buf_print(ret, "\n%*s", (int)indent, "");
			used = indent;
			first = true;
		}
		if (!first)
			cx_buf_byte(ret, ' ');
		cx_buf_add(ret, text, word);
		used += word + !first;
		first = false;
		text += word + strspn(text + word, " ");
	}
	cx_buf_byte(ret, '\n');
}

/* "  head    text", text folded from column on. */
static void row(const char *head, const char *text, size_t column,
                struct cx_buf *ret)
{
	size_t used = strlen(head) + 2;

	if (used + 1 > column)
		cx_buf_print(ret, "  %s\n%*s", head, (int)column, "");
	else
		cx_buf_print(ret, "  %-*s", (int)column - 2, head);
	fold(text, column, column, ret);
}

/* What an option's value may be, in parentheses; nothing for free values. */
static void bounds(const struct cx_opt *opt, struct cx_buf *ret)
{
	if (opt->kind == CX_OPT_WORD) {
		for (size_t i = 0; opt->word[i]; i++)
			cx_buf_print(ret, "%s%s", i ? ", " : " (",
			             opt->word[i]);
		cx_buf_byte(ret, ')');
	} else if (opt->kind == CX_OPT_NUMBER) {
		cx_buf_print(ret, " (from %ju", (uintmax_t)opt->min);
		if (opt->max < INT64_MAX)
			cx_buf_print(ret, " to %ju", (uintmax_t)opt->max);
		cx_buf_byte(ret, ')');
	} else if (opt->kind == CX_OPT_LIST || opt->kind == CX_OPT_FILES) {
		cx_buf_text(ret, " (may be repeated)");
	}
}

static void option(const struct cx_opt *opt, struct cx_buf *ret)
{
	CX_AUTO_BUF struct cx_buf head = { 0 };
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (opt->letter)
		cx_buf_print(&head, "-%c, ", opt->letter);
	else
		cx_buf_text(&head, "    ");
	cx_buf_print(&head, "--%s", opt->name);
	if (opt->value)
		cx_buf_print(&head, " %s", opt->value);
	cx_buf_text(&text, opt->about);
	bounds(opt, &text);
	row(head.data, text.data, OPTION_COLUMN, ret);
}

static void help_tool(const struct cx_tool *tool, struct cx_buf *ret)
{
	cx_buf_print(ret, "%s - %s\n\n", tool->name, tool->about);
	cx_buf_print(ret, "usage: %s VERB [OPTION...] [OPERAND...]\n\nverbs:\n",
	             tool->name);
	for (size_t i = 0; i < tool->cmd_count; i++)
		row(tool->cmd[i].name, tool->cmd[i].about, VERB_COLUMN, ret);
	cx_buf_print(ret, "\n%s VERB --help tells about one verb, "
	             "man %s about all,\n%s --version which this is.\n",
	             tool->name, tool->name, tool->name);
}

static void help_verb(const struct cx_tool *tool, const struct cx_cmd *cmd,
                      struct cx_buf *ret)
{
	cx_buf_print(ret, "%s %s - ", tool->name, cmd->name);
	fold(cmd->about, strlen(tool->name) + strlen(cmd->name) + 4, 2, ret);
	cx_buf_print(ret, "\nusage: %s %s [OPTION...]%s%s\n\noptions:\n",
	             tool->name, cmd->name, cmd->operands ? " " : "",
	             cmd->operands ? cmd->operands : "");
	for (size_t i = 0; i < cmd->opt_count; i++)
		if (!cmd->opt[i].hidden)
			option(&cmd->opt[i], ret);
	row("    --help", "Print this", OPTION_COLUMN, ret);
	if (cmd->reads || cmd->writes)
		row("    --schema", "Print the JSON Schema of what the verb "
		    "reads and writes", OPTION_COLUMN, ret);
}

void cx_doc_help(const struct cx_tool *tool, const struct cx_cmd *cmd,
                 struct cx_buf *ret)
{
	if (cmd)
		help_verb(tool, cmd, ret);
	else
		help_tool(tool, ret);
}

/* Adds shape, unless it is NULL, to the parts and to what there may be. */
static void add_part(json_t *part, json_t *any, const char *name,
                     const struct cx_shape *shape)
{
	CX_AUTO_FREE char *path = cx_mem_print("#/$defs/%s", name);

	if (!shape)
		return;
	json_object_set_new(part, name, cx_schema_of(shape));
	json_array_append_new(any, json_pack("{ss}", "$ref", path));
}

/* The schema object of one verb, owned by the caller. */
static json_t *schema(const struct cx_tool *tool, const struct cx_cmd *cmd)
{
	CX_AUTO_FREE char *title = cx_mem_print("%s %s", tool->name, cmd->name);
	json_t *value = json_object();
	json_t *part = json_object();
	json_t *any = json_array();

	json_object_set_new(value, "$schema", json_string(
		"https://json-schema.org/draft/2020-12/schema"));
	json_object_set_new(value, "title", json_string(title));
	json_object_set_new(value, "description", json_string(cmd->about));
	add_part(part, any, "reads", cmd->reads);
	add_part(part, any, "tells", cmd->tells);
	add_part(part, any, "writes", cmd->writes);
	if (json_array_size(any))
		json_object_set(value, "anyOf", any);
	json_decref(any);
	json_object_set_new(value, "$defs", part);
	return value;
}

void cx_doc_schema(const struct cx_tool *tool, const struct cx_cmd *cmd,
                   struct cx_buf *ret)
{
	CX_AUTO_JSON json_t *value = schema(tool, cmd);

	cx_json_pretty(value, false, ret);
	cx_buf_byte(ret, '\n');
}

static void schemas(const struct cx_tool *tool, struct cx_buf *ret)
{
	for (size_t i = 0; i < tool->cmd_count; i++) {
		const struct cx_cmd *cmd = &tool->cmd[i];
		CX_AUTO_JSON json_t *value = NULL;

		if (!cmd->reads && !cmd->writes)
			continue;
		value = schema(tool, cmd);
		cx_buf_print(ret, "%s-", tool->name);
		for (const char *at = cmd->name; *at; at++)
			cx_buf_byte(ret, *at == ' ' ? '-' : *at);
		cx_buf_text(ret, ".json\t");
		cx_json_write(value, ret);
		cx_buf_byte(ret, '\n');
	}
}

bool cx_doc_hidden(const struct cx_tool *tool, const char *flag,
                   struct cx_buf *ret)
{
	static const struct {
		const char *flag;
		void (*write)(const struct cx_tool *, struct cx_buf *);
	} hidden[] = {
		{ "--cx-mdoc", cx_mdoc_write },
		{ "--cx-bash", cx_bash_write },
		{ "--cx-zsh", cx_zsh_write },
		{ "--cx-schemas", schemas },
	};

	for (size_t i = 0; i < CX_COUNT(hidden); i++) {
		if (!cx_str_same(flag, hidden[i].flag))
			continue;
		hidden[i].write(tool, ret);
		return true;
	}
	return false;
}
